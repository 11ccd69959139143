import { interrupted } from "./interrupt.ts";
import { seconds } from "./options.ts";
import { example, type Program } from "./program.ts";
import { whileWaiting } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `next-prompt`: the next block that somebody submits in a file they type into. */
export function addNextPrompt(program: Program) {
  program.command("next-prompt <file>")
    .alias("next_prompt")
    .description("wait for the next block submitted by a line ---SEND--- in a file that somebody types into")
    .option("--marker <re>", "another submit line, as a regular expression")
    .option("--timeout <s>", "give up after so many seconds", seconds("--timeout"))
    .addHelpText("after", example("deaddrop next-prompt prompts.txt"))
    .action(async (file, _, command) => {
      const { json, pollMs, marker, timeout } = command.optsWithGlobals();
      const { holdBlock } = await import("../drop/next_prompt.ts");
      const { text, ack } = await whileWaiting(
        `a submitted block in ${file}`,
        holdBlock(file, { marker, pollMs, timeoutMs: timeout, signal: interrupted }),
      );
      await (json ? printJson({ text }) : print(`${text}\n`));
      await ack(); // not before: a block that was not printed is offered again
    });
}
