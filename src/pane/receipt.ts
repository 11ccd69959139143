/**
 * The receipt of a message: an agent writes each one that it took to a session file of its own. An id that was nowhere before
 * the Enter and is there after it proves more than any screen.
 */
import { envelopeMarks } from "./envelope.ts";

/** Which receipt, and where. */
export interface ReceiptQuery {
  /**
   * Session files below the home directory, as the agent's profile says (`receipt.path`). `*` stands for anything in one name;
   * `{cwd}` for the working directory with every character but ASCII letters and digits as `-`, cut where it is long.
   */
  readonly pattern: string;
  /** The home directory of the agent's own process. */
  readonly home: string;
  /** The working directory of the agent's own process. */
  readonly cwd: string;
  readonly deliveryId: string;
  /** Files that were last changed before this time (Unix milliseconds) are not read. */
  readonly sinceMs: number;
}

/** Bounds of a look. */
export interface ReceiptOptions {
  /** Most files that are read, those changed last first. @default {16} */
  readonly maxFiles?: number;
  /** Most bytes that are read of each, from its end. @default {1048576} */
  readonly maxBytes?: number;
}

/**
 * `found`: the agent has the whole message. `absent`: what was read does not hold it; `complete` is false when a bound was reached or
 * something could not be read, so that it may be there all the same. `no-files`: no session file changed since that time.
 */
export type Receipt =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "absent"; readonly complete: boolean }
  | { readonly kind: "no-files"; readonly complete: boolean };

/** Most names that are looked at: people keep years of sessions. Newer names sort last where names tell a time. */
const MAX_NAMES = 4096;

/** Claude Code cuts longer names of working directories here, and adds a hash. */
const MAX_CWD_CHARS = 200;

/** A file system that keeps whole or even seconds may give a new file an older time. */
const COARSE_MS = 2000;

/**
 * Looks once for the receipt of a delivery. Requires `--allow-read` for the agent's session files.
 *
 * @param query Which receipt, and where.
 * @param options Bounds of the look.
 *
 * @example
 * ```ts
 * import { findReceipt } from "./receipt.ts";
 * const home = await Deno.makeTempDir();
 * const pattern = ".claude/projects/{cwd}/*.jsonl";
 * const query = { pattern, home, cwd: "/home/dev/repo", deliveryId: "7f3a19c2", sinceMs: Date.now() };
 * console.log((await findReceipt(query)).kind); // no-files
 * ```
 */
export async function findReceipt(query: ReceiptQuery, options: ReceiptOptions = {}): Promise<Receipt> {
  const { maxFiles = 16, maxBytes = 1 << 20 } = options;
  const { files, complete } = await changedFiles(query);
  if (files.length === 0) return { kind: "no-files", complete };
  // The last word: where it stands, everything before it has arrived, too.
  const { last } = envelopeMarks(query.deliveryId);
  let all = complete && files.length <= maxFiles;
  for (const { path, size } of files.slice(0, maxFiles)) {
    const tail = await tailOf(path, maxBytes);
    if (tail?.includes(last)) return { kind: "found", path };
    all &&= tail !== null && size <= maxBytes;
  }
  return { kind: "absent", complete: all };
}

/** Session files changed since a time, those changed last first; `complete` when no name was left out. */
async function changedFiles({ pattern, home, cwd, sinceMs }: ReceiptQuery) {
  const place = cwd.replace(/[^a-zA-Z0-9]/g, "-");
  const cut = place.length > MAX_CWD_CHARS ? `${place.slice(0, MAX_CWD_CHARS)}*` : place;
  const segments = pattern.replace("{cwd}", cut).split("/");
  const budget = { names: MAX_NAMES, complete: true };
  let paths = [home];
  for (const segment of segments) {
    paths = segment.includes("*")
      ? (await Promise.all(paths.map((path) => matching(path, segment, budget)))).flat()
      : paths.map((path) => `${path}/${segment}`);
  }
  const files = await Promise.all(paths.map(async (path) => {
    const info = await Deno.stat(path).catch(() => null);
    return { path, isFile: info?.isFile ?? false, size: info?.size ?? 0, changedMs: info?.mtime?.getTime() ?? 0 };
  }));
  return {
    files: files.filter((file) => file.isFile && file.changedMs >= sinceMs - COARSE_MS)
      .sort((a, b) => b.changedMs - a.changedMs),
    complete: budget.complete,
  };
}

async function matching(dir: string, segment: string, budget: { names: number; complete: boolean }): Promise<string[]> {
  const [start, end] = segment.split("*");
  try {
    const names = (await Array.fromAsync(Deno.readDir(dir), ({ name }) => name))
      .filter((name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end))
      .sort().reverse();
    const taken = names.slice(0, budget.names);
    budget.names -= taken.length;
    if (taken.length < names.length) budget.complete = false;
    return taken.map((name) => `${dir}/${name}`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) budget.complete = false;
    return [];
  }
}

/** The end of a file, a character for each byte; `null` when it cannot be read. */
async function tailOf(path: string, maxBytes: number): Promise<string | null> {
  try {
    using file = await Deno.open(path);
    const { size } = await file.stat();
    await file.seek(Math.max(0, size - maxBytes), Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.min(size, maxBytes));
    let length = 0;
    while (length < bytes.length) {
      const read = await file.read(bytes.subarray(length));
      if (read === null) break;
      length += read;
    }
    return new TextDecoder("latin1").decode(bytes.subarray(0, length));
  } catch {
    return null;
  }
}
