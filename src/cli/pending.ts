import { example, type Program, SESSION_HELP } from "./program.ts";
import { printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `pending`: the prompts of a session that still need an answer. */
export function addPending(program: Program) {
  program.command("pending")
    .description("list the ids of the prompts that still need an answer, oldest first")
    .option("--session <id>", SESSION_HELP)
    .addHelpText("after", example("deaddrop pending --session lab"))
    .action(async (_, command) => {
      const { dir, json, session } = command.optsWithGlobals();
      const { rootOf, sessionOf } = await import("./place.ts");
      const { pendingPrompts } = await import("../drop/prompt.ts");
      const ids = await pendingPrompts(rootOf(dir), sessionOf(session));
      await (json ? printJson(ids) : print(ids.map((id) => `${printable(id)}\n`).join("")));
    });
}
