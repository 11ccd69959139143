import type { Skipped } from "../drop/read.ts";

/** What a person sees beside the output: one line per notice, and a line that shows that a wait lives. */

// deno-lint-ignore no-control-regex -- control characters are exactly what must not reach the terminal
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const CLEAR_LINE = "\r\x1b[K";
const TICK_MS = 1_000;

let lineShown = false;

/** `text` on one line, without anything that could move the cursor, colour or reorder what a terminal shows. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, " ").trim();
}

function write(text: string) {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let done = 0; done < bytes.length;) done += Deno.stderr.writeSync(bytes.subarray(done));
  } catch { /* nobody reads it */ }
}

function clearLine() {
  if (lineShown) write(CLEAR_LINE);
  lineShown = false;
}

/** Prints `deaddrop: <sentence>.` on stderr; `sentence` comes without its full stop. */
export function note(sentence: string) {
  clearLine();
  const line = printable(sentence);
  write(`deaddrop: ${line}${/[.!?]$/.test(line) ? "" : "."}\n`);
}

/** A span of time as people say it. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

function columns(): number {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return 80;
  }
}

/** `work`; while it takes long and stderr is a terminal, one line there says what is waited for and since when. */
export async function whileWaiting<T>(what: string, work: Promise<T>): Promise<T> {
  if (!Deno.stderr.isTerminal()) return await work;
  const start = performance.now();
  const ticking = setInterval(() => {
    const line = `waiting for ${printable(what)}, ${duration(performance.now() - start)}`;
    write(CLEAR_LINE + line.slice(0, columns() - 1));
    lineShown = true;
  }, TICK_MS);
  try {
    return await work;
  } finally {
    clearInterval(ticking);
    clearLine();
  }
}

/** The items of `source`; the waits between them show as in {@linkcode whileWaiting}. */
export async function* whileWaitingForEach<T>(what: string, source: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    while (true) {
      const next = await whileWaiting(what, source.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await source.return(undefined);
  }
}

/** Tells about an entry that was left alone. */
export function noteSkipped({ path, reason, detail }: Skipped) {
  const why = {
    "not-a-file": "it is not a regular file",
    "too-large": "it is too large",
    denied: "permission is denied",
    unreadable: "it cannot be read",
  }[reason];
  note(`Left ${path} alone: ${why}${detail === "" ? "" : ` (${detail})`}; \`deaddrop doctor\` tells more`);
}
