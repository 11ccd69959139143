import { ChangeWaiter, type WaitOptions } from "./change.ts";
import { cannot, DeadDropError, isGone } from "./error.ts";
import { denoHost, type Host } from "./host.ts";
import { MarkerReader } from "./marker.ts";
import { baseOf, type Dir, join, listOrEmpty, lstatOrNull, parentOf, pathOf } from "./paths.ts";
import { readUpTo, statSame } from "./read.ts";
import { replyName } from "./reply_files.ts";
import { sessionDir } from "./session.ts";

/**
 * Reading a file while it is written. Only what is new is read, from a remembered offset, so the cost is one pass over the
 * file and one buffer of memory; a character cut by a read is completed by the next one.
 */

/** Bytes per read, and about the most that is in memory at a time. */
const CHUNK_BYTES = 64 * 1024;

/** This much before the offset is read again each time and must be what it was: a splice of two texts is never shown. */
const OVERLAP_BYTES = 64;

/** From the start of a file that has been replaced (as sync tools do for every update), this much is compared too. */
const HEAD_BYTES = 1024;

/** A marker without a line end counts once the file has been still this long (1 s): hand-written files end so. */
const ALMOST_MS = 1_000;

/** A file that has not grown for this long is reported as stalled (60 s). */
export const STALL_MS = 60_000;

/** Options of {@linkcode followFile}. */
export interface FollowOptions extends WaitOptions {
  /** Milliseconds without growth after which `onStall` is told. @default {60000} */
  readonly stallMs?: number;
  /** Told once each time the text stops growing for `stallMs`; following goes on. */
  readonly onStall?: (stall: { readonly quietMs: number }) => void;
}

/** Options of {@linkcode followReply}. */
export interface FollowReplyOptions extends FollowOptions {
  /** File name in the outbox. @default `{promptId}.md` */
  readonly name?: string;
}

/** What has been read of one file. */
class Tail {
  readonly #host: Host;
  readonly #path: string;
  // Deno drops a byte order mark at the start of every streamed piece; only the one at the start of the file is none of ours.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #decoded = false;
  readonly #reader = new MarkerReader();
  readonly #buffer = new Uint8Array(CHUNK_BYTES);
  #offset = 0;
  #ino: number | null = null;
  #dev = 0;
  #head = new Uint8Array(0);
  #overlap = new Uint8Array(0);

  constructor(host: Host, path: string) {
    this.#host = host;
    this.#path = path;
  }

  get complete(): boolean {
    return this.#reader.complete;
  }

  get almostComplete(): boolean {
    return this.#reader.almostComplete;
  }

  /**
   * Reads the next piece of what was appended, checking first that what was read before still stands there.
   *
   * @returns The text that can be shown, and whether the end of the file was reached; `null` when there is no file.
   * @throws {DeadDropError} `replaced` when what was read before is not there any more; `wrong-kind` for a link.
   */
  async read(): Promise<{ text: string; grew: boolean; atEnd: boolean } | null> {
    const named = await lstatOrNull(this.#host, this.#path); // before it is opened: a pipe would wait for its other end
    if (named === null) return null;
    if (!named.isFile) {
      const why = "it is not a regular file; links are not followed";
      throw new DeadDropError("wrong-kind", `Cannot follow ${this.#path}: ${why}`);
    }
    let file: Deno.FsFile;
    try {
      file = await this.#host.fs.open(this.#path, { read: true });
    } catch (error) {
      if (isGone(error)) return null;
      throw cannot("read", this.#path, error);
    }
    using _ = file;
    const info = await statSame(this.#host, file, this.#path);
    if (info === undefined) return null; // it changed hands between two looks: look again
    if (info.size < this.#offset) throw this.#replaced(`it shrank from ${this.#offset} to ${info.size} bytes`);
    const other = this.#ino !== null && (info.ino !== this.#ino || info.dev !== this.#dev);
    this.#ino = info.ino;
    this.#dev = info.dev;
    if (other) await this.#expect(file, 0, this.#head);
    if (other || info.size > this.#offset) await this.#expect(file, this.#offset - this.#overlap.length, this.#overlap);
    if (info.size === this.#offset) return { text: "", grew: false, atEnd: true };
    const bytes = this.#buffer.subarray(0, await file.read(this.#buffer) ?? 0); // a short read is completed by the next
    this.#remember(bytes);
    return { text: this.#reader.push(this.#decode(bytes)), grew: true, atEnd: this.#offset >= info.size };
  }

  #decode(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#decoded || text === "") return text;
    this.#decoded = true;
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  }

  #remember(bytes: Uint8Array) {
    this.#offset += bytes.length;
    if (this.#head.length < HEAD_BYTES) this.#head = concat(this.#head, bytes).slice(0, HEAD_BYTES);
    this.#overlap = concat(this.#overlap, bytes.subarray(-OVERLAP_BYTES)).slice(-OVERLAP_BYTES);
  }

  async #expect(file: Deno.FsFile, offset: number, expected: Uint8Array): Promise<void> {
    await file.seek(offset, Deno.SeekMode.Start); // leaves the position right behind what is expected
    const found = await readUpTo(file, expected.length);
    if (found.length === expected.length && found.every((byte, i) => byte === expected[i])) return;
    throw this.#replaced("another text stands where the one read so far was");
  }

  #replaced(why: string): DeadDropError {
    return new DeadDropError("replaced", `Cannot go on reading ${this.#path}: ${why}; follow it again from the start`);
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/**
 * Follows a file while it is written, piece by piece, until its last line is the end marker, which is not part of the text:
 * the pieces joined are exactly what was written.
 *
 * It waits for the file to appear by listing its directory, never by asking for the name, which network file systems may
 * deny for up to a minute. It has no end of its own while the writer does not finish: pass `timeoutMs` or `signal`.
 *
 * Needs `--allow-read` for the file's directory.
 *
 * @param path The file; neither it nor its directory need exist yet.
 * @returns The text, in pieces.
 * @throws {DeadDropError} `replaced` when the file shrinks or another takes its place; `timeout`; `wrong-kind` for a link.
 * The signal's reason when it aborts.
 *
 * @example
 * ```ts
 * import { followFile, stream } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * const writing = stream(dir, "story.md", (w) => w.write("once upon a time"));
 * for await (const text of followFile(`${dir}/story.md`)) console.log(text);
 * await writing;
 * ```
 */
export async function* followFile(path: Dir, options: FollowOptions = {}): AsyncGenerator<string> {
  yield* follow(path, options, () => Promise.resolve());
}

/** Follows; `check` throws before each look when the way to the file may not be taken any more. */
async function* follow(path: Dir, options: FollowOptions, check: () => Promise<unknown>): AsyncGenerator<string> {
  const { host = denoHost, stallMs = STALL_MS, onStall } = options;
  const file = pathOf(path);
  const dir = parentOf(file);
  const name = baseOf(file);
  const tail = new Tail(host, file);
  using changes = new ChangeWaiter(`the end of ${file}`, [dir], { ...options, host });
  let grewAt = host.clock.monotonic();
  let stalled = false;
  for (let there = false;;) {
    await changes.next(there);
    await check();
    if (!there && !(await listOrEmpty(host, dir)).some((entry) => entry.name === name)) continue;
    const before = grewAt;
    for (let piece = await tail.read();; piece = await tail.read()) {
      there = piece !== null;
      if (piece?.grew) grewAt = host.clock.monotonic();
      if (piece?.text) {
        yield piece.text;
        options.signal?.throwIfAborted();
      }
      if (piece === null || piece.atEnd) break;
    }
    if (there && tail.complete) return;
    const quietMs = host.clock.monotonic() - grewAt;
    if (there && tail.almostComplete && quietMs >= ALMOST_MS) return;
    if (grewAt !== before) stalled = false;
    if (!stalled && quietMs >= stallMs) {
      stalled = true;
      onStall?.({ quietMs });
    }
  }
}

/**
 * Follows the reply to a prompt while it is written: the asking side's last step after `dropPrompt`.
 *
 * Needs `--allow-read` for `dir`.
 *
 * @param dir The root.
 * @param sessionId The session that was asked.
 * @param promptId The id that `dropPrompt` returned.
 * @returns The reply's text, in pieces.
 * @throws as `followFile`; {@linkcode DeadDropError} `bad-input` for an unsafe id.
 *
 * @example
 * ```ts
 * import { dropPrompt, followReply, replyStream } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "is CI green?");
 * const answering = replyStream(root, "lab", id, (w) => w.write("yes"));
 * console.log((await Array.fromAsync(followReply(root, "lab", id))).join("")); // "yes"
 * await answering;
 * ```
 */
export async function* followReply(
  dir: Dir,
  sessionId: string,
  promptId: string,
  options: FollowReplyOptions = {},
): AsyncGenerator<string> {
  const { host = denoHost } = options;
  const name = replyName(promptId, options.name);
  const outbox = () => sessionDir(host, pathOf(dir), sessionId, "outbox"); // refuses links on the way, each time
  yield* follow(join(await outbox(), name), options, outbox);
}
