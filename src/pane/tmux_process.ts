import { type Answer, failure, quote, refusal, value } from "./answer.ts";
import type { Deadline } from "./deadline.ts";
import { type SocketAddress, socketPath } from "./socket.ts";

/** tmux as a process per call. */

/** How tmux is run. */
export interface TmuxLaunch {
  /** The program: a name to be found on `PATH`, or a path. */
  readonly program: string;
  readonly socket: SocketAddress;
  /** `PATH`, `HOME` and `TMUX_TMPDIR` of the caller; nothing else of its environment reaches tmux. */
  readonly env: Readonly<Record<string, string>>;
}

/** One tmux command with its arguments. */
export type TmuxCommand = readonly string[];

/** What a call may take and be given. */
export interface TmuxCall {
  readonly deadline: Deadline;
  readonly signal?: AbortSignal;
  /** What the command reads from its standard input. */
  readonly stdin?: string;
}

/** More output than any question here has (16 MiB); past it, what answers is not tmux. */
export const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * A detached child with an environment in which tmux speaks UTF-8 whatever the locale, and never starts a server.
 * It leads a process group of its own: {@linkcode killGroup} ends all of it.
 *
 * @throws what `Deno.Command` throws when the program cannot be started.
 */
export function spawnTmux(launch: TmuxLaunch, args: readonly string[], stdin: "piped" | "null"): Deno.ChildProcess {
  const { program, socket, env } = launch;
  const where = "path" in socket ? ["-S", socket.path] : ["-L", socket.name];
  return new Deno.Command(program, {
    args: ["-u", "-N", ...where, ...args],
    clearEnv: true,
    env: { ...env, LC_ALL: "C.UTF-8" },
    stdin,
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
}

/** Ends a child of {@linkcode spawnTmux} and all that it started in its group; one that has ended already is no error. */
export function killGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch {
    // nobody is left in the group
  }
}

/** The socket of a launch, to show to people. */
export function launchAddress({ socket, env }: TmuxLaunch): string {
  return socketPath(socket, Deno.uid(), env.TMUX_TMPDIR);
}

/** tmux takes a final `;` of an argument as the end of a command (tmux issue 1849). */
function argument(text: string): string {
  return text.endsWith(";") ? `${text.slice(0, -1)}\\;` : text;
}

/** What a list of commands is called in a message; printing only serves the others. */
export function commandNames(commands: readonly TmuxCommand[]): string {
  return [...new Set(commands.map(([name]) => name))].filter((name) => name !== "display-message").join(", ") ||
    "a question";
}

class TooMuch extends Error {}

/** All of a stream as UTF-8, bytes that are none replaced. */
async function readText(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = stream.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  let bytes = 0;
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > MAX_OUTPUT_BYTES) throw new TooMuch();
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await reader.cancel().catch(() => {});
  }
}

/** Writes all of `text`; a child that does not want it is judged by what it says, not by the broken pipe. */
async function feed(stream: WritableStream<Uint8Array>, text: string): Promise<void> {
  try {
    const writer = stream.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // it ended or was ended without reading
  }
}

/**
 * Runs a list of commands as one tmux process and returns what it printed. tmux runs the list in one go and stops at the
 * first command that fails. After the deadline the process group is killed and the answer is `unknown`.
 *
 * @throws the signal's reason when it aborts.
 */
export async function runTmux(
  launch: TmuxLaunch,
  commands: readonly TmuxCommand[],
  { deadline, signal, stdin }: TmuxCall,
): Promise<Answer<string>> {
  signal?.throwIfAborted();
  const what = commandNames(commands);
  const args = commands.flatMap((command, index) => [...index > 0 ? [";"] : [], ...command.map(argument)]);
  let child: Deno.ChildProcess;
  try {
    child = spawnTmux(launch, args, stdin === undefined ? "null" : "piped");
  } catch (error) {
    return failure("no-tmux", `Cannot run ${launch.program}: ${error instanceof Error ? error.message : error}`);
  }
  const stop = new AbortController();
  const end = () => {
    killGroup(child.pid);
    stop.abort();
  };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, deadline.left());
  signal?.addEventListener("abort", end, { once: true });
  try {
    const fed = stdin === undefined ? undefined : feed(child.stdin, stdin);
    const [out, err] = await Promise.allSettled([
      readText(child.stdout, stop.signal).catch((error) => (end(), Promise.reject(error))),
      readText(child.stderr, stop.signal).catch((error) => (end(), Promise.reject(error))),
    ]);
    const status = await child.status;
    await fed;
    signal?.throwIfAborted();
    if (late) return failure("unknown", `tmux did not answer ${what} within ${deadline.ms} ms`);
    if (out.status === "rejected" || err.status === "rejected") {
      return failure("garbled", `tmux answered ${what} with more than ${MAX_OUTPUT_BYTES} bytes`);
    }
    return judge(what, status, out.value, err.value);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    killGroup(child.pid); // whatever it left in the background
  }
}

function judge(what: string, { code, signal }: Deno.CommandStatus, out: string, err: string): Answer<string> {
  if (signal !== null) return failure("unknown", `tmux was ended by ${signal} during ${what}`);
  if (code === 0 && err === "") return value(out);
  if (code === 0) return failure("garbled", `tmux answered ${what} with ${quote(err)} and yet with code 0`);
  if (err.trim() === "") return failure("unknown", `tmux ended ${what} with code ${code} and without a word`);
  return refusal(what, err);
}
