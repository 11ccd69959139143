import { quote } from "../drop/names.ts";
import { CliError, EXIT } from "./exit.ts";
import { interrupted } from "./interrupt.ts";
import { example, type Program, SESSION_OF_ID_HELP } from "./program.ts";
import { print, printJson } from "./stdout.ts";
import { stdinText } from "./stdin.ts";

/** `reply`: answers a prompt, readable while it is being written. */
export function addReply(program: Program) {
  program.command("reply <id> [text]")
    .description("answer a prompt; stdin is passed on as it comes. Prints the reply's path")
    .option("--session <id>", SESSION_OF_ID_HELP)
    .option("--restart", "begin an abandoned reply anew")
    .option("--model <name>", "note who answered ahead of the end")
    .addHelpText("after", example("some-model | deaddrop reply 20261201T120000000-whatis-1f0c2a"))
    .action(async (id, text, _, command) => {
      const { dir, json, session, restart, model } = command.optsWithGlobals();
      const { holds, rootOf, sessionOfPrompt } = await import("./place.ts");
      const { replyStream } = await import("../drop/reply.ts");
      const { modelLine } = await import("../drop/responder.ts");
      const root = rootOf(dir);
      const from = await sessionOfPrompt(root, id, session);
      if (!await holds(root, from, id)) { // a mistyped id would be an answer that nobody ever reads
        throw new CliError(EXIT.failed, `Cannot reply to ${quote(id)}: ${root}/${from}/inbox holds no such prompt`);
      }
      const signature = modelLine(model); // refused before anything is written
      const path = await replyStream(root, from, id, async (writer) => {
        if (text !== undefined) await writer.write(text);
        else for await (const piece of stdinText()) await writer.write(piece);
        await writer.write(signature);
      }, { restart, signal: interrupted });
      await (json ? printJson({ id, session: from, path }) : print(`${path}\n`));
    });
}
