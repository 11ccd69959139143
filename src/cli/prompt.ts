import { repeated } from "./options.ts";
import { example, type Program } from "./program.ts";
import { print, printJson } from "./stdout.ts";

/** `prompt`: leaves a prompt for a session. */
export function addPrompt(program: Program) {
  program.command("prompt <session> [text]")
    .description("leave a prompt for a session; prints its id, which `follow` takes")
    .option("--file <path>", "send this file along; may stand several times", repeated)
    .addHelpText("after", example('deaddrop prompt lab "what is in this picture?" --file plot.png'))
    .action(async (session, text, _, command) => {
      const { dir, json, file = [] } = command.optsWithGlobals();
      const { rootOf, sessionOf } = await import("./place.ts");
      const { promptFiles } = await import("./prompt_files.ts");
      const { dropPrompt } = await import("../drop/prompt.ts");
      const id = await dropPrompt(rootOf(dir), sessionOf(session), await promptFiles(text, file));
      await (json ? printJson({ id, session }) : print(`${id}\n`));
    });
}
