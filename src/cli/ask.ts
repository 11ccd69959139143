import { repeated, seconds } from "./options.ts";
import { example, type Program } from "./program.ts";
import { printJson } from "./stdout.ts";

/** `ask`: leaves a prompt and follows its reply. */
export function addAsk(program: Program) {
  program.command("ask <session> [text]")
    .description("leave a prompt and print the answer as it grows")
    .option("--file <path>", "send this file along; may stand several times", repeated)
    .option("--timeout <s>", "stop following after so many seconds; the prompt stays", seconds("--timeout"))
    .option(
      "--stall <s>",
      "look after the writer when nothing came for so many seconds (default: 60)",
      seconds("--stall"),
    )
    .addHelpText("after", example('deaddrop ask lab "why did the run diverge?" --file train.log --timeout 600'))
    .action(async (session, text, _, command) => {
      const { dir, json, pollMs, file = [], timeout, stall } = command.optsWithGlobals();
      const { rootOf, sessionOf } = await import("./place.ts");
      const { promptFiles } = await import("./prompt_files.ts");
      const { dropPrompt } = await import("../drop/prompt.ts");
      const { printReply } = await import("./print_reply.ts");
      const root = rootOf(dir);
      const id = await dropPrompt(root, sessionOf(session), await promptFiles(text, file));
      if (json) await printJson({ id, session });
      await printReply({ root, session, id }, { json, pollMs, timeoutMs: timeout, stallMs: stall });
    });
}
