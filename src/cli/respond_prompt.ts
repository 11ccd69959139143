import { contentOf } from "../drop/drop.ts";
import { refused } from "./exit.ts";
import { example, type Program } from "./program.ts";
import { printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";
import { textOrStdin } from "./stdin.ts";

/** `respond-prompt`: answers a prompt of the older route in one step. */
export function addRespondPrompt(program: Program) {
  program.command("respond-prompt <name> [text]")
    .alias("respond_prompt")
    .description("the older route: write the reply to a prompt that `watch-prompts` printed")
    .option("--model <name>", "note who answered ahead of the end")
    .addHelpText("after", example("deaddrop respond-prompt 1796083134812496638-74cabb28 < answer.md"))
    .action(async (name, text, _, command) => {
      const { dir, json, model } = command.optsWithGlobals();
      const { rootOf } = await import("./place.ts");
      const { respondPrompt } = await import("../drop/responder.ts");
      const input = await textOrStdin(text);
      const content = typeof input === "string" ? input : contentOf(input);
      if (typeof content !== "string") {
        throw refused("Cannot take the input as text: it is not UTF-8; convert it first");
      }
      const path = await respondPrompt(name, { text: content, dir: rootOf(dir), model });
      await (json ? printJson({ name, path }) : print(`OK: response written for ${printable(name)}\n`));
    });
}
