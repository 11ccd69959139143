import { interrupted } from "./interrupt.ts";
import { seconds } from "./options.ts";
import { example, type Program } from "./program.ts";
import { whileWaiting } from "./stderr.ts";
import { print } from "./stdout.ts";

/** The Python peer looks this often. */
const POLL_MS = 250;

/** `watch-prompts`: the older route's one-shot wait; its one line is the peer's, byte for byte. */
export function addWatchPrompts(program: Program) {
  program.command("watch-prompts")
    .alias("watch_prompts")
    .description("the older route: wait for a file in prompts/, print it as one JSON line, then remove it")
    .option("--timeout <s>", "give up after so many seconds", seconds("--timeout"))
    .addHelpText("after", example("deaddrop watch-prompts"))
    .action(async (_, command) => {
      const { dir, pollMs = POLL_MS, timeout } = command.optsWithGlobals();
      const { rootOf } = await import("./place.ts");
      const { holdPrompt } = await import("../drop/responder.ts");
      const held = await whileWaiting(
        "a prompt of the older route",
        holdPrompt({ dir: rootOf(dir), pollMs, timeoutMs: timeout, signal: interrupted }),
      );
      try {
        await print(`{"name": ${pythonString(held.name)}, "content": ${pythonString(held.content)}}\n`);
      } catch (error) {
        await held.putBack();
        throw error;
      }
      await held.ack();
    });
}

/** A JSON string as Python's `json.dumps` writes it: all that is not printable ASCII as `\uXXXX`. */
function pythonString(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[^ -~]/g, escaped);
}
