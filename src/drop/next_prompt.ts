import { setAside, writeAtomic } from "./atomic.ts";
import { ChangeWaiter, RELIST_MS, type WaitOptions } from "./change.ts";
import { MAX_DROP_BYTES } from "./claim.ts";
import { DeadDropError } from "./error.ts";
import { denoHost, type Host } from "./host.ts";
import { baseOf, type Dir, join, lstatOrNull, parentOf, pathOf } from "./paths.ts";
import { readRegular } from "./read.ts";

/**
 * Prompts typed into one growing file. A line such as `---SEND---` submits the block above it, so that an editor's autosave
 * in the middle of typing submits nothing. How many markers were consumed is remembered in `<file>.dd_state`, the Python
 * peer's form: the number in decimal digits, no line end.
 */

/** The submit line: dashes, `send` in any case, dashes, and blanks around them. */
export const SEND_MARKER = /^[ \t]*-+[ \t]*send[ \t]*-+[ \t]*$/i;

/** A file with fewer blocks than were consumed counts as begun anew once it has stood still this long (3 s): editors empty a
 * file before they write it again. */
const ANEW_MS = 3_000;

/** Options of {@linkcode nextPrompt}. */
export interface NextPromptOptions extends WaitOptions {
  /** Matched against each line; a string is taken as the source of a case-insensitive pattern. @default {SEND_MARKER} */
  readonly marker?: RegExp | string;
}

/** The submitted blocks of a text, in order, empty ones included; what follows the last marker is still being typed. */
export function blocksOf(text: string, marker: RegExp = SEND_MARKER): string[] {
  const pattern = new RegExp(marker.source, marker.flags.replace(/[gy]/g, ""));
  const blocks: string[] = [];
  let lines: string[] = [];
  for (const line of text.split(/\r\n|\n/)) {
    if (pattern.test(line)) {
      blocks.push(lines.join("\n").trim());
      lines = [];
    } else lines.push(line);
  }
  return blocks;
}

function patternOf(marker: RegExp | string): RegExp {
  if (marker instanceof RegExp) return marker;
  try {
    return new RegExp(marker, "i");
  } catch (error) {
    const why = `it is not a regular expression (${(error as Error).message})`;
    throw new DeadDropError("bad-input", `Cannot use ${JSON.stringify(marker)} as a marker: ${why}`, { cause: error });
  }
}

/** How many markers were consumed; a damaged count is set aside and starts anew, which loses nothing. */
async function readCount(host: Host, path: string): Promise<number> {
  const bytes = await readRegular(host, path, 64);
  if (bytes === null) return 0;
  const text = bytes instanceof Uint8Array ? new TextDecoder().decode(bytes).trim() : "";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  await setAside(host, path);
  return 0;
}

/** A submitted block that is not counted as consumed yet. */
export interface HeldBlock {
  /** The block. */
  readonly text: string;
  /** Remembers that it was consumed. */
  ack(): Promise<void>;
}

/** Waits for the next block and holds it, so that one whose printing failed is offered again. */
export async function holdBlock(path: Dir, options: NextPromptOptions = {}): Promise<HeldBlock> {
  const { host = denoHost, marker = SEND_MARKER } = options;
  const pattern = patternOf(marker);
  const file = pathOf(path);
  const dir = parentOf(file);
  using changes = new ChangeWaiter(`a submitted block in ${file}`, [dir], { ...options, host });
  let seen = "";
  let changedAt = -Infinity;
  let readAgainAt = -Infinity;
  while (true) {
    await changes.next(true);
    const info = await lstatOrNull(host, file);
    const version = `${info?.ino} ${info?.size} ${info?.mtime?.getTime()}`;
    const now = host.clock.monotonic();
    if (version === seen && now < readAgainAt) continue;
    if (version !== seen) changedAt = now;
    seen = version;
    const block = await findBlock(host, dir, file, pattern, now - changedAt >= ANEW_MS);
    if (typeof block === "object") return block;
    readAgainAt = now + (block === "shorter" ? ANEW_MS : RELIST_MS);
  }
}

/**
 * The first block that was not consumed and is not empty; `shorter` when the file holds fewer blocks than were consumed and
 * has not been `still` long enough to believe it.
 */
async function findBlock(
  host: Host,
  dir: string,
  file: string,
  marker: RegExp,
  still: boolean,
): Promise<HeldBlock | "none" | "shorter"> {
  const bytes = await readRegular(host, file, MAX_DROP_BYTES);
  if (bytes === null) return "none";
  if (!(bytes instanceof Uint8Array)) {
    if (bytes.reason === "unreadable" || bytes.reason === "denied") return "none";
    const why = bytes.reason === "too-large" ? `it has ${bytes.detail}, more than is read` : "it is not a regular file";
    throw new DeadDropError("wrong-kind", `Cannot read prompts from ${file}: ${why}; choose another file`);
  }
  const state = `${baseOf(file)}.dd_state`;
  const blocks = blocksOf(new TextDecoder().decode(bytes), marker);
  const count = await readCount(host, join(dir, state));
  const anew = count > blocks.length;
  if (anew && !still) return "shorter";
  const start = anew ? 0 : count;
  const index = blocks.findIndex((block, i) => i >= start && block !== "");
  const consumed = index < 0 ? blocks.length : index + 1;
  const ack = async () => {
    if (consumed === count) return;
    await writeAtomic(host, dir, state, new TextEncoder().encode(String(consumed)), "replace");
  };
  if (index >= 0) return { text: blocks[index], ack };
  if (!anew) await ack(); // empty blocks; the count is never lowered before a block of the new file is taken
  return "none";
}

/**
 * Waits until somebody submits the next block in a file they type into, and returns it.
 *
 * Every submitted block is returned, in order, once: also those submitted while nobody waited, and several at a time. A file
 * that was emptied or begun anew (it holds fewer blocks than were consumed) is read from its start. One reader per file.
 *
 * Needs `--allow-read` and `--allow-write` for the file's directory.
 *
 * @param path The file; it need not exist yet.
 * @returns The block, without blank lines around it. Empty blocks are passed over.
 * @throws {DeadDropError} `bad-input` for a marker that is no pattern; `wrong-kind` when the path is a link or a directory;
 * `timeout` after `timeoutMs`. The signal's reason when it aborts.
 *
 * @example
 * ```ts
 * import { nextPrompt } from "@deaddrop/deaddrop";
 *
 * const path = `${await Deno.makeTempDir()}/prompts.txt`;
 * await Deno.writeTextFile(path, "line one\nline two\n---SEND---\n");
 * console.log(await nextPrompt(path)); // "line one\nline two"
 * ```
 */
export async function nextPrompt(path: Dir, options: NextPromptOptions = {}): Promise<string> {
  const { text, ack } = await holdBlock(path, options);
  await ack();
  return text;
}
