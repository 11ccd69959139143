import { interrupted } from "./interrupt.ts";
import { count } from "./options.ts";
import { example, type Program, SESSION_HELP } from "./program.ts";
import { noteSkipped, whileWaitingForEach } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `watch`: prints the messages of a session as they come; each is removed after it was printed. */
export function addWatch(program: Program) {
  program.command("watch")
    .description("print the messages of a session as they come, each removed after it was printed")
    .option("--session <id>", `${SESSION_HELP}, else a new one`)
    .option("--keep", "only look: leave them where they are")
    .option("--max <n>", "stop after so many messages", count("--max"))
    .addHelpText("after", example("deaddrop watch --session lab --json"))
    .action(async (_, command) => {
      const { dir, json, pollMs, session, keep, max = Infinity } = command.optsWithGlobals();
      const { rootOf, sessionToServe } = await import("./place.ts");
      const { drops } = await import("../drop/watch.ts");
      const sessionId = sessionToServe(session);
      const source = drops(rootOf(dir), { sessionId, delete: !keep, pollMs, signal: interrupted, onSkip: noteSkipped });
      let printed = 0;
      for await (const { ack, ...message } of whileWaitingForEach(`a message for ${sessionId}`, source)) {
        await (json ? printJson(message) : printWhole(message.content));
        await ack();
        if (++printed >= max) break;
      }
    });
}

/** Prints a message, and a line end if it has none, which keeps it from being glued to the next. */
async function printWhole(content: string | Uint8Array): Promise<void> {
  await print(content);
  const last = content.at(-1);
  if (last !== "\n" && last !== 0x0a) await print("\n");
}
