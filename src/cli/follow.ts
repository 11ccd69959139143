import { seconds } from "./options.ts";
import { example, type Program, SESSION_OF_ID_HELP } from "./program.ts";

/** `follow`: the reply to a prompt, while it is being written. */
export function addFollow(program: Program) {
  program.command("follow <id>")
    .description("print the reply to a prompt as it grows, until it is complete")
    .option("--session <id>", SESSION_OF_ID_HELP)
    .option("--timeout <s>", "give up after so many seconds", seconds("--timeout"))
    .option(
      "--stall <s>",
      "look after the writer when nothing came for so many seconds (default: 60)",
      seconds("--stall"),
    )
    .addHelpText("after", example("deaddrop follow 20261201T120000000-whatis-1f0c2a --timeout 600"))
    .action(async (id, _, command) => {
      const { dir, session, json, pollMs, timeout, stall } = command.optsWithGlobals();
      const { rootOf, sessionOfPrompt } = await import("./place.ts");
      const { printReply } = await import("./print_reply.ts");
      const root = rootOf(dir);
      const from = await sessionOfPrompt(root, id, session);
      await printReply({ root, session: from, id }, { json, pollMs, timeoutMs: timeout, stallMs: stall });
    });
}
