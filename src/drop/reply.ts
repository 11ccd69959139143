import { isOlder } from "./age.ts";
import type { AppendFile, StreamWriter } from "./append.ts";
import { ensureDir, rename, syncDir } from "./atomic.ts";
import { DeadDropError } from "./error.ts";
import { denoHost, type Host, randomHex } from "./host.ts";
import { type Lease, takeLease } from "./lease.ts";
import { type Dir, join, pathOf } from "./paths.ts";
import { promptLease, replyEnd, replyLease, replyName, STALE_MS } from "./reply_files.ts";
import { EXTRAS, sessionDir } from "./session.ts";
import { create, run, type StreamOptions } from "./stream.ts";

/**
 * Replies: a file that grows while it is written and says in-band when it is complete. Created exclusively, so that nobody
 * overwrites an answer; one that was abandoned is only begun again on request, and what it held is kept.
 */

/** Options of {@linkcode replyStream}. */
export interface ReplyOptions extends StreamOptions {
  /** File name in the outbox. @default `{promptId}.md` */
  readonly name?: string;
  /** Begin an abandoned reply anew; what it held is kept as a hidden file beside it. @default {false} */
  readonly restart?: boolean;
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
  options.signal?.throwIfAborted(); // before anything is begun
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
  const { signal, durable = true } = options;
  let reply: OpenReply | undefined;
  const giveUp = async () => {
    signal?.removeEventListener("abort", onAbort);
    await reply?.file.abandon();
    await reply?.lease.abandon();
  };
  let onAbort = () => {};
  /** A stream that failed is told neither to close nor to abort: what it holds is given up here. */
  const orGiveUp = async (work: () => Promise<void>) => {
    try {
      signal?.throwIfAborted();
      await work();
    } catch (error) {
      await giveUp();
      throw error;
    }
  };
  return new WritableStream<string>({
    async start(controller) {
      signal?.throwIfAborted();
      reply = await openReply(dir, sessionId, promptId, options);
      onAbort = () => {
        controller.error(signal!.reason);
        giveUp();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
    },
    write: (chunk) => orGiveUp(() => reply!.file.write(chunk)),
    close: () =>
      orGiveUp(async () => {
        await reply!.file.end(durable);
        signal?.removeEventListener("abort", onAbort);
        await reply!.lease.release();
      }),
    abort: giveUp,
  });
}
