import { discard } from "./atomic.ts";
import { ChangeWaiter, type WaitOptions } from "./change.ts";
import { DeadDropError } from "./error.ts";
import { denoHost, type Host, type HostOption } from "./host.ts";
import { leaseState, takeLease } from "./lease.ts";
import { type Dir, join, lstatOrNull, pathOf } from "./paths.ts";
import { type Pending, readPrompt, unanswered } from "./prompt.ts";
import { bundleState, type ReadFiles } from "./read_bundle.ts";
import { isReplyDone, promptLease, replyLease, replyName } from "./reply_files.ts";
import { attend, EXTRAS, sessionDir, sessionId as ownSessionId } from "./session.ts";

/** The answering side: waiting for prompts, each handed to one waiter. */

/** How long a prompt that was handed out stays with whoever got it before it is offered again (5 min), unless a reply begins. */
export const PROMPT_LEASE_MS = 300_000;

/** Options of {@linkcode prompts}. */
export interface PromptsOptions extends WaitOptions {
  /** The session to serve, or several: one loop serves them all. @default this process's own id */
  readonly sessionId?: string | readonly string[];
  /** How long a prompt stays with whoever got it, in milliseconds, unless a reply begins. @default {300000} */
  readonly leaseMs?: number;
  /** Temporaries older than this, in milliseconds, are swept at the start. @default {3600000} */
  readonly tempMaxAgeMs?: number;
  /** Told once about each prompt that cannot be read; it never stops the others. */
  readonly onSkip?: (problem: DeadDropError) => void;
}

/** A prompt that was handed out. */
export interface Prompt {
  /** Names the reply: pass it to `replyStream`. */
  readonly id: string;
  /** The session it was left for. */
  readonly sessionId: string;
  /** Contents by file name. */
  readonly files: ReadFiles;
  /** True when it was handed out before and no reply came of it. */
  readonly redelivered: boolean;
  /** True when a reply was begun and abandoned: answering needs `{ restart: true }`. */
  readonly abandoned: boolean;
}

/**
 * The unanswered prompts of one or more sessions, oldest first, as they come, without end.
 *
 * Waiting is what announces a session: its directories are made, and a heartbeat runs. Each prompt is handed to one waiter
 * only, for `leaseMs`; it stays in the inbox.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir The root.
 * @throws the signal's reason when it aborts; {@linkcode DeadDropError} `missing` when an inbox is removed.
 *
 * @example
 * ```ts
 * import { dropPrompt, prompts, replyStream } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * await dropPrompt(root, "lab", { "prompt.txt": "ping" });
 * for await (const { id, sessionId, files } of prompts(root, { sessionId: ["lab", "desk"] })) {
 *   await replyStream(root, sessionId, id, (w) => w.write(`you said ${files["prompt.txt"]}`));
 *   break;
 * }
 * ```
 */
export async function* prompts(dir: Dir, options: PromptsOptions = {}): AsyncGenerator<Prompt> {
  const { host = denoHost, sessionId = ownSessionId(), tempMaxAgeMs } = options;
  const root = pathOf(dir);
  const ids = [sessionId].flat();
  await using attendance = await attend(host, root, ids, { below: ["inbox", "outbox"], tempMaxAgeMs });
  using changes = new ChangeWaiter(`a prompt for ${ids.join(", ")}`, attendance.dirs.keys(), { ...options, host });
  const reported = new Set<string>();
  const waitingFor = new Map<string, boolean>();
  while (true) {
    for (const inbox of await changes.next([...waitingFor.values()].includes(true))) {
      const session = attendance.dirs.get(inbox)!;
      waitingFor.set(inbox, false);
      for (const pending of await unanswered(host, root, session, true)) {
        options.signal?.throwIfAborted();
        const got = await handOut(host, root, session, pending, options);
        if (got === "later") waitingFor.set(inbox, true);
        else if (got instanceof DeadDropError) {
          if (!reported.has(join(inbox, pending.id))) options.onSkip?.(got);
          reported.add(join(inbox, pending.id));
        } else if (got !== "answered") yield got;
      }
    }
  }
}

/** Takes the lease on a prompt and reads it. */
async function handOut(
  host: Host,
  root: string,
  sessionId: string,
  { id, abandoned }: Pending,
  { leaseMs = PROMPT_LEASE_MS }: PromptsOptions,
): Promise<Prompt | "later" | "answered" | DeadDropError> {
  const path = await sessionDir(host, root, sessionId, "inbox", id);
  const extras = await sessionDir(host, root, sessionId, EXTRAS);
  try {
    if (await bundleState(host, path, extras) !== "ready") return "later";
  } catch (error) {
    if (error instanceof DeadDropError) return error;
    throw error;
  }
  const taken = await takeLease(host, extras, promptLease(id), { leaseMs, live: false });
  if (taken === null) return "later";
  const reply = join(await sessionDir(host, root, sessionId, "outbox"), replyName(id));
  // Since the listing, somebody may have answered, or begun the abandoned reply anew.
  const answered = abandoned ? await isReplyDone(host, reply) : await lstatOrNull(host, reply) !== null;
  const restarted = abandoned && await leaseState(host, extras, replyLease(replyName(id)), extras) === "held";
  if (answered || restarted) {
    await taken.lease.release();
    return answered ? "answered" : "later";
  }
  try {
    const files = await readPrompt(root, sessionId, id, { host });
    return { id, sessionId, files, redelivered: taken.takenOver || abandoned, abandoned };
  } catch (error) {
    await taken.lease.release();
    if (!(error instanceof DeadDropError)) throw error;
    return error.code === "arriving" ? "later" : error;
  }
}

/**
 * Waits for the oldest unanswered prompt of a session and returns it; returns at once when one is waiting.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir The root.
 * @returns The prompt, with the id that `replyStream` answers.
 * @throws the signal's reason when it aborts; {@linkcode DeadDropError} `timeout` after `timeoutMs`.
 *
 * @example
 * ```ts
 * import { awaitPrompt, dropPrompt } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * await dropPrompt(root, "lab", { "prompt.txt": "ping" });
 * const { files } = await awaitPrompt(root, { sessionId: "lab" });
 * console.log(files["prompt.txt"]); // "ping"
 * ```
 */
export async function awaitPrompt(dir: Dir, options: PromptsOptions = {}): Promise<Prompt> {
  for await (const prompt of prompts(dir, options)) return prompt;
  throw new DeadDropError("timeout", "Gave up waiting for a prompt: the wait ended"); // `prompts` has no end of its own
}

/** Gives a prompt back that could not be passed on, so that the next one who waits gets it at once. */
export async function handBack(
  dir: Dir,
  { sessionId, id }: Prompt,
  { host = denoHost }: HostOption = {},
): Promise<void> {
  await discard(host, join(await sessionDir(host, pathOf(dir), sessionId, EXTRAS), promptLease(id)));
}
