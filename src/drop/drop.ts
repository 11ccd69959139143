import { ensureDir, writeAtomic, type WriteOptions } from "./atomic.ts";
import { claim, LEASE_MS, MAX_DROP_BYTES, parseClaim } from "./claim.ts";
import { DeadDropError } from "./error.ts";
import { denoHost, type Host, type HostOption } from "./host.ts";
import { dropName } from "./ids.ts";
import { checkMessageName, isMessageName, quote } from "./names.ts";
import { type Dir, join, list, pathOf } from "./paths.ts";
import { readRegular, type Skipped } from "./read.ts";

/** Options of {@linkcode drop}. */
export interface DropOptions extends WriteOptions, HostOption {
  /** File name, one path segment. @default a name that sorts by time */
  readonly name?: string;
  /** Replace a drop that has this name and was not picked up yet. @default {false} */
  readonly replace?: boolean;
}

/** A message that was picked up. */
export interface Drop {
  /** Where it lay. */
  readonly path: string;
  /** Its file name. */
  readonly name: string;
  /** Text when it is valid UTF-8, else the exact bytes. */
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** True when an earlier consumer died with it: it may have been acted on before. */
  readonly redelivered: boolean;
}

/** Options shared by everything that takes drops. */
export interface TakeOptions extends HostOption {
  /** Remove a drop once it was taken; `false` only reads. @default {true} */
  readonly delete?: boolean;
  /** How long another machine's claim stays untouched before it counts as abandoned. @default {60000} */
  readonly leaseMs?: number;
  /** The largest drop that is read. @default {67108864} */
  readonly maxBytes?: number;
  /** Told once about each entry that cannot be taken; it never stops the others. */
  readonly onSkip?: (skipped: Skipped) => void;
}

/** UTF-8 bytes of text; bytes as they are. */
export function bytesOf(content: string | Uint8Array, what: string): Uint8Array {
  if (typeof content !== "string") return content;
  if (content.isWellFormed()) return new TextEncoder().encode(content);
  throw new DeadDropError(
    "bad-input",
    `Cannot write ${what}: the text holds half of a surrogate pair; send it as bytes`,
  );
}

/** Text when `bytes` are valid UTF-8, else the bytes: never changed on the way. */
export function contentOf(bytes: Uint8Array<ArrayBuffer>): string | Uint8Array<ArrayBuffer> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/**
 * Leaves a message in a directory in one step, so that a reader never sees half of it.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir Directory of the drops; made, with mode 0700, when missing.
 * @param content The message; text is written as UTF-8, bytes as they are.
 * @returns Full path of the new file.
 * @throws {DeadDropError} `bad-input` for a name that is no safe segment; `exists` when it is taken; `system` when the
 * disk refuses, in which case nothing is left behind.
 *
 * @example
 * ```ts
 * import { drop, pickup } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * await drop(dir, "first message");
 * const got = await pickup(dir);
 * console.log(got?.content); // "first message"
 * ```
 */
export async function drop(dir: Dir, content: string | Uint8Array, options: DropOptions = {}): Promise<string> {
  const { host = denoHost, name, replace = false, durable } = options;
  const path = pathOf(dir);
  if (name !== undefined) checkMessageName(name, "drop name");
  const what = `the drop ${quote(name ?? "")}`;
  const bytes = bytesOf(content, what);
  if (bytes.length > MAX_DROP_BYTES) {
    throw new DeadDropError(
      "bad-input",
      `Cannot write ${what}: ${bytes.length} bytes are more than the ${MAX_DROP_BYTES} that a reader takes; send a bundle`,
    );
  }
  await ensureDir(host, path, { durable });
  const existing = name === undefined ? "unique" : replace ? "replace" : "refuse";
  return await writeAtomic(host, path, name ?? dropName(host), bytes, existing, { durable });
}

/** What one listing of a directory offers: waiting drops in order, and claims that others hold or left behind. */
export async function waiting(host: Host, dir: string): Promise<{ names: string[]; claims: string[] }> {
  const names: string[] = [];
  const claims: string[] = [];
  for (const entry of await list(host, dir)) {
    if (!entry.isFile) continue; // links, pipes and directories are not messages
    if (entry.name.startsWith(".")) {
      if (parseClaim(entry.name) !== undefined) claims.push(entry.name);
    } else if (isMessageName(entry.name)) names.push(entry.name);
  }
  return { names: names.sort(), claims: claims.sort() };
}

/**
 * Takes the oldest message of a directory: by name, and names made by {@linkcode drop} sort by time.
 *
 * The message is claimed by a rename before it is read and removed before this returns; a consumer that must not lose a
 * message when it dies uses `drops` or `watch`, which remove it afterwards.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir Directory of the drops.
 * @returns The message, or `null` when nothing is waiting or the directory does not exist.
 *
 * @example
 * ```ts
 * import { drop, pickup } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * await drop(dir, "look, don't take", { name: "note.md" });
 * const seen = await pickup(dir, { delete: false });
 * console.log(seen?.name); // "note.md", and it is still there
 * ```
 */
export async function pickup(dir: Dir, options: TakeOptions = {}): Promise<Drop | null> {
  const { host = denoHost, delete: remove = true } = options;
  const path = pathOf(dir);
  let found: { names: string[]; claims: string[] };
  try {
    found = await waiting(host, path);
  } catch (error) {
    if (error instanceof DeadDropError && error.code === "missing") return null;
    throw error;
  }
  for (const name of remove ? [...found.claims, ...found.names] : found.names) {
    const taken = remove ? await take(host, path, name, options) : await look(host, path, name, options);
    if (taken === null) continue;
    await taken.ack();
    return taken.drop;
  }
  return null;
}

/** A drop with the two ways to end having it. */
export interface Taken {
  readonly drop: Drop;
  ack(): Promise<void>;
  putBack(): Promise<void>;
}

/** Claims and reads one entry; `null` when somebody else has it or it cannot be taken, which `onSkip` is told. */
export async function take(host: Host, dir: string, entry: string, options: TakeOptions): Promise<Taken | null> {
  const { leaseMs = LEASE_MS, maxBytes = MAX_DROP_BYTES, onSkip } = options;
  const got = await claim(host, dir, entry, leaseMs, maxBytes);
  if (got === null) return null;
  if ("reason" in got) {
    onSkip?.(got);
    return null;
  }
  const path = join(dir, got.name);
  try {
    const content = contentOf(await got.read());
    const drop = { path, name: got.name, content, redelivered: got.attempt > 1 };
    return { drop, ack: () => got.ack(), putBack: () => got.putBack() };
  } catch (error) {
    await got.putBack();
    onSkip?.({ path, reason: "unreadable", detail: String((error as Error).message) });
    return null;
  }
}

/** Reads one entry without taking it. */
export async function look(host: Host, dir: string, name: string, options: TakeOptions): Promise<Taken | null> {
  const { maxBytes = MAX_DROP_BYTES, onSkip } = options;
  const path = join(dir, name);
  const read = await readRegular(host, path, maxBytes);
  if (!(read instanceof Uint8Array)) {
    if (read !== null) onSkip?.(read);
    return null;
  }
  const nothing = () => Promise.resolve();
  return { drop: { path, name, content: contentOf(read), redelivered: false }, ack: nothing, putBack: nothing };
}
