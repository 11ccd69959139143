import { isOlder } from "./age.ts";
import { AppendFile, type StreamWriter } from "./append.ts";
import { ensureDir, rename, syncDir, type WriteOptions } from "./atomic.ts";
import { cannot, DeadDropError } from "./error.ts";
import { denoHost, type Host, type HostOption, randomHex } from "./host.ts";
import { type Lease, leaseState, takeLease } from "./lease.ts";
import { checkMessageName, checkName, quote } from "./names.ts";
import { type Dir, inside, join, pathOf } from "./paths.ts";
import { promptLease, replyEnd, replyLease, replyName } from "./reply_files.ts";
import { EXTRAS, sessionDir } from "./session.ts";

/**
 * Replies: a file that grows while it is written and says in-band when it is complete. Created exclusively, so that nobody
 * overwrites an answer; one that was abandoned is only begun again on request, and what it held is kept.
 */

/** A reply that nobody touched for this long, and whose writer is not known to live, counts as abandoned (60 s). */
export const STALE_MS = 60_000;

/** Options of {@linkcode stream}. */
export interface StreamOptions extends WriteOptions, HostOption {
  /** Ends the body's stream without the marker when it aborts. */
  readonly signal?: AbortSignal;
}

/** Options of {@linkcode replyStream}. */
export interface ReplyOptions extends StreamOptions {
  /** File name in the outbox. @default `{promptId}.md` */
  readonly name?: string;
  /** Begin an abandoned reply anew; what it held is kept as a hidden file beside it. @default {false} */
  readonly restart?: boolean;
}

/** Runs `body`, then ends the file; on any failure or abort it stays without an end. */
async function run(
  file: AppendFile,
  body: (writer: StreamWriter) => unknown,
  { signal, durable = true }: StreamOptions,
): Promise<void> {
  try {
    await abortable(Promise.resolve(body(file)), signal);
    signal?.throwIfAborted();
  } catch (error) {
    await file.abandon();
    throw error;
  }
  await file.end(durable);
}

/** `work`, or the signal's reason if that comes first. */
async function abortable(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void await work;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Writes a file that others read while it grows, ended by a line `---DONE---` when `body` returns and by nothing when it
 * throws.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir Directory of the file; made when missing.
 * @param name File name, one path segment.
 * @param body Gets the writer; what it writes is visible at once.
 * @returns Full path of the file.
 * @throws {DeadDropError} `exists` when the name is taken; whatever `body` throws.
 *
 * @example
 * ```ts
 * import { followFile, stream } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * const path = await stream(dir, "log.md", async (w) => {
 *   await w.write("one ");
 *   await w.write("two");
 * });
 * console.log((await Array.fromAsync(followFile(path))).join("")); // "one two"
 * ```
 */
export async function stream(
  dir: Dir,
  name: string,
  body: (writer: StreamWriter) => unknown,
  options: StreamOptions = {},
): Promise<string> {
  const { host = denoHost, durable = true } = options;
  const parent = pathOf(dir);
  const path = join(parent, checkMessageName(name, "file name"));
  await ensureDir(host, parent, { durable });
  const file = await create(host, path, "exists");
  if (durable) await syncDir(host, parent);
  await run(file, body, options);
  return path;
}

async function create(host: Host, path: string, code: "exists" | "reply-taken"): Promise<AppendFile> {
  try {
    return await AppendFile.create(host, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw cannot("write", path, error);
    throw new DeadDropError(code, `Cannot write ${path}: it exists, and nothing written is overwritten`, {
      cause: error,
    });
  }
}

/** An open reply and the lease that says so. */
interface OpenReply {
  readonly path: string;
  readonly file: AppendFile;
  readonly lease: Lease;
}

async function openReply(dir: Dir, sessionId: string, promptId: string, options: ReplyOptions): Promise<OpenReply> {
  const { host = denoHost, restart = false, durable = true } = options;
  const root = pathOf(dir);
  const name = replyName(promptId, options.name);
  const outbox = await sessionDir(host, root, sessionId, "outbox");
  const extras = await sessionDir(host, root, sessionId, EXTRAS);
  await ensureDir(host, outbox, { durable });
  await ensureDir(host, extras, { durable });
  const path = join(outbox, name);
  const taken = await takeLease(host, extras, replyLease(name), { leaseMs: STALE_MS, live: true });
  if (taken === null) throw refused(path, "somebody is writing it now; wait for that or follow it");
  const { lease, takenOver } = taken;
  try {
    await makeRoom(host, outbox, name, { restart, writerDied: takenOver });
    const file = await create(host, path, "reply-taken");
    if (durable) await syncDir(host, outbox);
    await host.fs.remove(join(extras, promptLease(promptId))).catch(() => {}); // the reply itself tells from here on
    return { path, file, lease };
  } catch (error) {
    if (takenOver) await lease.abandon();
    else await lease.release();
    throw error;
  }
}

function refused(path: string, why: string): DeadDropError {
  return new DeadDropError("reply-taken", `Cannot write the reply ${path}: ${why}`);
}

/** Makes sure that no reply of this name stands in the way. */
async function makeRoom(
  host: Host,
  outbox: string,
  name: string,
  { restart, writerDied }: { restart: boolean; writerDied: boolean },
): Promise<void> {
  const path = join(outbox, name);
  const found = await replyEnd(host, path);
  if (found === null) return;
  if (found.end === "complete") throw refused(path, "it is already answered; the answer stands");
  if (!restart) throw refused(path, "a reply was begun and not finished; ask to restart it if its writer is gone");
  if (!writerDied && !await isOlder(host, found.info, STALE_MS, outbox)) {
    throw refused(path, `it changed less than ${STALE_MS / 1000} s ago, so its writer may be at work; try again later`);
  }
  await rename(host, path, join(outbox, `.abandoned-${randomHex(host, 4)}-${name}`));
}

/**
 * Answers a prompt, readable while it is being written.
 *
 * The reply ends with a line `---DONE---` when `body` returns, and with nothing when it throws or the signal aborts, so
 * that a cut answer never reads as a short one. It is created exclusively: a second answer is refused.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir The root.
 * @param sessionId The session that was asked.
 * @param promptId The prompt, as `awaitPrompt` or `pendingPrompts` named it.
 * @param body Gets the writer.
 * @returns Full path of the reply.
 * @throws {DeadDropError} `reply-taken` when it is answered, being written, or abandoned without `restart`; `bad-input` for
 * an unsafe id; `system` when the disk refuses. Whatever `body` throws.
 *
 * @example
 * ```ts
 * import { dropPrompt, replyState, replyStream } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "is CI green?");
 * await replyStream(root, "lab", id, async (w) => {
 *   for (const word of ["CI ", "is ", "green"]) await w.write(word);
 * });
 * console.log(await replyState(root, "lab", id)); // "done"
 * ```
 */
export async function replyStream(
  dir: Dir,
  sessionId: string,
  promptId: string,
  body: (writer: StreamWriter) => unknown,
  options: ReplyOptions = {},
): Promise<string> {
  const { path, file, lease } = await openReply(dir, sessionId, promptId, options);
  try {
    await run(file, body, options);
  } catch (error) {
    await lease.abandon();
    throw error;
  }
  await lease.release();
  return path;
}

/**
 * As {@linkcode replyStream}, as a stream to pipe into: closing it ends the reply, aborting it leaves the reply unfinished.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @returns A stream of text; its errors are those of `replyStream`.
 *
 * @example
 * ```ts
 * import { dropPrompt, replyState, replyWritable } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "count");
 * await ReadableStream.from(["1 ", "2 ", "3"]).pipeTo(replyWritable(root, "lab", id));
 * console.log(await replyState(root, "lab", id)); // "done"
 * ```
 */
export function replyWritable(
  dir: Dir,
  sessionId: string,
  promptId: string,
  options: ReplyOptions = {},
): WritableStream<string> {
  let reply: OpenReply;
  return new WritableStream<string>({
    async start() {
      reply = await openReply(dir, sessionId, promptId, options);
    },
    write: (chunk) => reply.file.write(chunk),
    async close() {
      try {
        await reply.file.end(options.durable ?? true);
        await reply.lease.release();
      } catch (error) {
        await reply.lease.abandon();
        throw error;
      }
    },
    async abort() {
      await reply.file.abandon();
      await reply.lease.abandon();
    },
  });
}

/**
 * What became of a reply. `pending`: not begun. `streaming`: being written. `done`: complete. `stale`: begun, and its writer
 * died or has not touched it for `staleMs`.
 */
export type ReplyState = "pending" | "streaming" | "done" | "stale";

/** Options of {@linkcode replyState}. */
export interface ReplyStateOptions extends HostOption {
  /** File name in the outbox. @default `{promptId}.md` */
  readonly name?: string;
  /** How long a reply of a writer that says nothing about itself (the Python peer) may stand still. @default {60000} */
  readonly staleMs?: number;
}

/**
 * Tells what became of a reply. Only reads, and only the end of the file.
 *
 * Needs `--allow-read` for `dir`; `--allow-read=/proc/sys/kernel/random/boot_id` lets it see at once that a writer on the same
 * machine died, which otherwise takes a minute.
 *
 * @param dir The root.
 * @throws {DeadDropError} `bad-input` for an unsafe id; `system` when the reply cannot be read.
 *
 * @example
 * ```ts
 * import { dropPrompt, replyState } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "anybody there?");
 * console.log(await replyState(root, "lab", id)); // "pending"
 * ```
 */
export async function replyState(
  dir: Dir,
  sessionId: string,
  promptId: string,
  options: ReplyStateOptions = {},
): Promise<ReplyState> {
  const { host = denoHost, staleMs = STALE_MS } = options;
  const root = pathOf(dir);
  const name = replyName(promptId, options.name);
  const outbox = await inside(host, root, checkName(sessionId, "session id"), "outbox");
  const path = join(outbox, name);
  let found: Awaited<ReturnType<typeof replyEnd>>;
  try {
    found = await replyEnd(host, path);
  } catch (error) {
    throw cannot(`read the reply ${quote(name)} in`, outbox, error);
  }
  if (found === null) return "pending";
  if (found.end === "complete") return "done";
  const lease = await leaseState(host, await sessionDir(host, root, sessionId, EXTRAS), replyLease(name));
  if (lease === "held") return "streaming";
  if (lease === "expired") return "stale";
  if (!await isOlder(host, found.info, staleMs, null)) return "streaming";
  return found.end === "almost" ? "done" : "stale";
}
