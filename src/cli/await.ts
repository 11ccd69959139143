import { interrupted } from "./interrupt.ts";
import { seconds } from "./options.ts";
import { example, type Program, SESSION_HELP } from "./program.ts";
import { note, whileWaiting } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `await`: waits for the next prompt of a session. */
export function addAwait(program: Program) {
  program.command("await")
    .description("wait for the oldest unanswered prompt of a session; prints its id and its files")
    .option("--session <id>", `${SESSION_HELP}, else a new one`)
    .option("--timeout <s>", "give up after so many seconds", seconds("--timeout"))
    .addHelpText("after", example("deaddrop await --session lab --json"))
    .action(async (_, command) => {
      const { dir, json, pollMs, session, timeout } = command.optsWithGlobals();
      const { rootOf, sessionToServe } = await import("./place.ts");
      const { awaitPrompt, handBack } = await import("../drop/await_prompt.ts");
      const root = rootOf(dir);
      const sessionId = sessionToServe(session);
      const prompt = await whileWaiting(
        `a prompt for ${sessionId}`,
        awaitPrompt(root, {
          sessionId,
          pollMs,
          timeoutMs: timeout,
          signal: interrupted,
          onSkip: (problem) => note(problem.message),
        }),
      );
      const { listing } = await import("./listing.ts");
      const text = () => `${prompt.id}\n${listing(`${root}/${sessionId}/inbox/${prompt.id}`, prompt.files)}`;
      try {
        await (json ? printJson(prompt) : print(text()));
      } catch (error) {
        await handBack(root, prompt); // nobody has read it
        throw error;
      }
    });
}
