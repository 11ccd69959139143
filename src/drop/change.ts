import { DeadDropError } from "./error.ts";
import type { Host, HostOption } from "./host.ts";
import { parentOf } from "./paths.ts";

/**
 * Waiting for a directory to change. The listing is the truth; this module only says when to list again:
 *
 * - an event of `Deno.watchFs` says so at once, where there are events (not for other hosts' writes on NFS or SMB);
 * - every `pollMs`, a modification time that is *different* says so (never "newer": clocks skew, `rsync -a` restores it);
 * - for {@linkcode SETTLE_MS} after any sign, every poll says so, since two changes can share one coarse time stamp;
 * - and every {@linkcode RELIST_MS} the answer is "list" whatever the time stamps say.
 */

/** Default time between two polls. Without events this is the longest a change waits to be seen. */
export const POLL_MS = 500;

/** The longest a directory goes without a new listing (30 s), even if no time stamp ever moves. */
export const RELIST_MS = 30_000;

/** How long after a change each poll lists anyway: longer than the coarsest time stamps (2 s on FAT). */
export const SETTLE_MS = 3_000;

/** Events arrive in bursts (temporary, rename, flush); this long after the first one, one listing sees them all. */
const COALESCE_MS = 2;

/** Options of everything that waits. */
export interface WaitOptions extends HostOption {
  /** Ends the wait; it then rejects with the signal's own reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two looks; events of the file system only shorten it. @default {500} */
  readonly pollMs?: number;
  /** Milliseconds after which the wait as a whole gives up with a `timeout` error. @default {Infinity} */
  readonly timeoutMs?: number;
  /** Use file system events where there are any. @default {true} */
  readonly events?: boolean;
}

interface Watched {
  mtime: number | null | undefined;
  listedAt: number;
  settleUntil: number;
  dirty: boolean;
}

/** Says when which of some directories should be listed again; one of these watches hundreds. */
export class ChangeWaiter {
  readonly #host: Host;
  readonly #pollMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #what: string;
  readonly #timeoutMs: number;
  readonly #deadline: number;
  readonly #dirs: Map<string, Watched>;
  readonly #events: boolean;
  #watcher: Deno.FsWatcher | undefined;
  #wake: (() => void) | undefined;

  /**
   * Starts watching `dirs`, which need not exist; the first {@linkcode next} returns all of them at once.
   *
   * @param what What is waited for, as a message that gives up says it: `"a prompt for lab"`.
   */
  constructor(what: string, dirs: Iterable<string>, options: WaitOptions & { readonly host: Host }) {
    this.#host = options.host;
    this.#what = what;
    this.#pollMs = Math.max(1, options.pollMs ?? POLL_MS); // 0 would never let anything else run
    this.#timeoutMs = options.timeoutMs ?? Infinity;
    this.#deadline = options.host.clock.monotonic() + this.#timeoutMs;
    this.#signal = options.signal;
    this.#events = options.events ?? true;
    this.#dirs = new Map();
    for (const dir of dirs) {
      this.#dirs.set(dir, { mtime: undefined, listedAt: -Infinity, settleUntil: -Infinity, dirty: true });
    }
    this.#watcher = this.#startEvents();
  }

  #startEvents(): Deno.FsWatcher | undefined {
    if (!this.#events) return undefined;
    let watcher: Deno.FsWatcher;
    try {
      watcher = this.#host.fs.watchFs([...this.#dirs.keys()], { recursive: false });
    } catch {
      return undefined; // no such support here, or its limit is reached: polling alone is right too, only later
    }
    (async () => {
      try {
        for await (const event of watcher) if (event.kind !== "access") this.#onEvent(event.paths);
      } catch { /* a watcher that dies costs nothing but time */ }
    })();
    return watcher;
  }

  #onEvent(paths: readonly string[]) {
    for (const path of paths) {
      const watched = this.#dirs.get(parentOf(path)) ?? this.#dirs.get(path);
      if (watched !== undefined) watched.dirty = true;
      else for (const each of this.#dirs.values()) each.dirty = true; // the event's spelling of the path is not ours
    }
    this.#wake?.();
  }

  /**
   * Waits until some directories are due for a listing and returns them.
   *
   * @param hurry List at the next poll in any case: something is known to be under way that changes no time stamp.
   * @throws the signal's reason when it aborts; {@linkcode DeadDropError} `timeout` when the time is up.
   */
  async next(hurry = false): Promise<ReadonlySet<string>> {
    const { clock } = this.#host;
    for (let first = true;; first = false) {
      this.#signal?.throwIfAborted();
      const due = await this.#due(hurry && !first);
      if (due.size > 0) return due;
      if (clock.monotonic() >= this.#deadline) {
        const seconds = this.#timeoutMs / 1000;
        throw new DeadDropError(
          "timeout",
          `Gave up waiting for ${this.#what} after ${seconds} s; wait again or longer`,
        );
      }
      await this.#sleep();
      if ([...this.#dirs.values()].some((each) => each.dirty)) await clock.sleep(COALESCE_MS, this.#signal);
    }
  }

  async #due(all: boolean): Promise<Set<string>> {
    const { clock, fs } = this.#host;
    const due = new Set<string>();
    // One after the other: a hundred looks at once would wake a hundred threads for a few microseconds of work each.
    for (const [dir, watched] of this.#dirs) {
      const before = watched.dirty; // cleared before the stamp is read, so that a change in between is not lost
      watched.dirty = false;
      // The final dot looks through a link that the caller chose as directory.
      const mtime = await fs.lstat(`${dir}/.`).then((info) => info.mtime?.getTime() ?? null, () => null);
      const now = clock.monotonic();
      const changed = before || mtime !== watched.mtime;
      if (changed) watched.settleUntil = now + SETTLE_MS;
      if (watched.mtime === null && mtime !== null) this.#watcher ??= this.#startEvents(); // it did not exist before
      watched.mtime = mtime;
      const since = now - watched.listedAt;
      const settling = now < watched.settleUntil && since >= this.#pollMs;
      if (!changed && !all && !settling && since < RELIST_MS) continue;
      watched.listedAt = now;
      due.add(dir);
    }
    return due;
  }

  /** Sleeps one poll, or until an event. */
  async #sleep(): Promise<void> {
    if ([...this.#dirs.values()].some((each) => each.dirty)) return;
    const woken = new AbortController();
    const signal = this.#signal === undefined ? woken.signal : AbortSignal.any([woken.signal, this.#signal]);
    this.#wake = () => woken.abort();
    try {
      await this.#host.clock.sleep(
        Math.max(0, Math.min(this.#pollMs, this.#deadline - this.#host.clock.monotonic())),
        signal,
      );
    } catch (error) {
      if (!woken.signal.aborted || this.#signal?.aborted) throw error;
    } finally {
      this.#wake = undefined;
    }
  }

  /** Stops the events. */
  [Symbol.dispose]() {
    try {
      this.#watcher?.close();
    } catch { /* closed by its own failure */ }
  }
}
