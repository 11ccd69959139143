/**
 * The program `deaddrop`: the command tree of `src/cli/`, and what its failures look like from outside.
 *
 * @module
 */
import { CommanderError } from "@commander-js/extra-typings";
import { addAsk } from "./src/cli/ask.ts";
import { addAwait } from "./src/cli/await.ts";
import { addCompletions } from "./src/cli/completions.ts";
import { addDoctor } from "./src/cli/doctor.ts";
import { addDrop } from "./src/cli/drop.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./src/cli/exit.ts";
import { addFollow } from "./src/cli/follow.ts";
import { addInject } from "./src/cli/inject.ts";
import { listenForSignals } from "./src/cli/interrupt.ts";
import { addNextPrompt } from "./src/cli/next_prompt.ts";
import { addPanes } from "./src/cli/panes.ts";
import { addPending } from "./src/cli/pending.ts";
import { addPickup } from "./src/cli/pickup.ts";
import { addProbe } from "./src/cli/probe.ts";
import { newProgram } from "./src/cli/program.ts";
import { addPrompt } from "./src/cli/prompt.ts";
import { addRead } from "./src/cli/read.ts";
import { addReply } from "./src/cli/reply.ts";
import { addRespondPrompt } from "./src/cli/respond_prompt.ts";
import { addSessions } from "./src/cli/sessions.ts";
import { note } from "./src/cli/stderr.ts";
import { addWatch } from "./src/cli/watch.ts";
import { addWatchPrompts } from "./src/cli/watch_prompts.ts";

/** The whole command tree, in the order in which the help shows it. */
function deaddrop() {
  const program = newProgram();
  for (const add of [addAsk, addPrompt, addFollow, addSessions]) add(program);
  for (const add of [addAwait, addPending, addRead, addReply]) add(program);
  for (const add of [addDrop, addPickup, addWatch, addNextPrompt]) add(program);
  for (const add of [addWatchPrompts, addRespondPrompt]) add(program);
  for (const add of [addPanes, addProbe, addInject]) add(program);
  for (const add of [addDoctor, addCompletions]) add(program);
  return program;
}

/** Runs one command line; whatever goes wrong ends as one line on stderr and an exit code. */
async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    await deaddrop().parseAsync(args, { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return usage(error);
    note(error instanceof Error ? error.message : String(error));
    return exitCodeOf(error);
  }
}

/** Help and version are what was asked for; anything else of commander's is wrong usage. */
function usage({ code, exitCode, message }: CommanderError): ExitCode {
  if (exitCode === 0) return EXIT.done;
  if (code !== "commander.help") { // `deaddrop` alone has printed the help already
    const sentence = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ").replace(/\.$/, "");
    note(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}; \`deaddrop --help\` tells more`);
  }
  return EXIT.refused;
}

if (import.meta.main) {
  listenForSignals();
  globalThis.addEventListener("unhandledrejection", (event) => { // a mistake of ours, but still no stack trace
    event.preventDefault();
    note(String(event.reason?.message ?? event.reason));
    Deno.exit(EXIT.failed);
  });
  Deno.exit(await run(Deno.args));
}
