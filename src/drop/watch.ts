import { consume, type ConsumeOptions } from "./consume.ts";
import type { Drop } from "./drop.ts";
import { denoHost } from "./host.ts";
import { type Dir, pathOf } from "./paths.ts";
import { attend, sessionId as ownSessionId } from "./session.ts";

/** Options of {@linkcode drops}. */
export interface DropsOptions extends ConsumeOptions {
  /** The session whose directory is watched, or several: one loop watches them all. @default this process's own id */
  readonly sessionId?: string | readonly string[];
  /** Temporaries older than this, in milliseconds, are swept at the start. @default {3600000} */
  readonly tempMaxAgeMs?: number;
}

/** Options of {@linkcode watch}. */
export interface WatchOptions extends DropsOptions {
  /** Stop after this many drops and idle waits together. @default {Infinity} */
  readonly maxIters?: number;
}

/** A drop from {@linkcode drops}. */
export interface SessionDrop extends Drop {
  /** The session it was left for. */
  readonly sessionId: string;
  /** Says that it is dealt with, so that leaving the loop does not put it back. */
  ack(): Promise<void>;
}

/** Announces the sessions of `options`. */
function attendTo(dir: Dir, { host = denoHost, tempMaxAgeMs, sessionId = ownSessionId() }: DropsOptions) {
  return attend(host, pathOf(dir), [sessionId].flat(), { tempMaxAgeMs });
}

/** What both `drops` and `watch` loop over. */
async function* sessionDrops(dir: Dir, options: DropsOptions) {
  await using attendance = await attendTo(dir, options);
  for await (const got of consume(options.host ?? denoHost, [...attendance.dirs.keys()], options)) {
    yield got === "idle" ? got : { ...got, sessionId: attendance.dirs.get(got.dir)! };
  }
}

/**
 * The drops of one or more sessions, as they come, without end.
 *
 * A drop is removed when the next one is asked for (or at `ack()`), not before: a consumer that dies with it leaves it to
 * be delivered again, marked `redelivered`. Leaving the loop puts the current one back unless it was acknowledged.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir The root that holds one directory per session.
 * @throws {DeadDropError} `missing` when a watched directory is removed; the signal's reason when it aborts.
 *
 * @example
 * ```ts
 * import { drop, drops } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * await drop(`${root}/lab`, "hello");
 * for await (const message of drops(root, { sessionId: "lab" })) {
 *   console.log(message.content); // "hello"
 *   await message.ack();
 *   break;
 * }
 * ```
 */
export async function* drops(dir: Dir, options: DropsOptions = {}): AsyncGenerator<SessionDrop> {
  for await (const got of sessionDrops(dir, options)) {
    if (got === "idle") continue;
    try {
      yield { ...got.drop, sessionId: got.sessionId, ack: got.ack };
      await got.ack();
    } finally {
      await got.putBack(); // nothing to do after an `ack`
    }
  }
}

/**
 * Hands every drop of a session to `callback`, waiting for more when there are none.
 *
 * A drop is removed after the callback returned. When it throws, the drop is put back and the error ends the watch.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir The root; the session's directory under it is made when missing.
 * @param callback Called with one drop at a time, and awaited.
 * @returns How many drops the callback took.
 * @throws whatever the callback throws; the signal's reason when it aborts; {@linkcode DeadDropError} `missing` when the
 * directory is removed.
 *
 * @example
 * ```ts
 * import { drop, watch } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * await drop(`${root}/lab`, "hello");
 * const count = await watch(root, (message) => console.log(message.content), { sessionId: "lab", maxIters: 1 });
 * console.log(count); // 1
 * ```
 */
export async function watch(
  dir: Dir,
  callback: (drop: SessionDrop) => unknown,
  options: WatchOptions = {},
): Promise<number> {
  const { maxIters = Infinity } = options;
  if (maxIters <= 0) {
    await using _ = await attendTo(dir, options); // the session is announced all the same
    return 0;
  }
  let count = 0;
  let iters = 0;
  for await (const got of sessionDrops(dir, options)) {
    if (got !== "idle") {
      try {
        await callback({ ...got.drop, sessionId: got.sessionId, ack: got.ack });
        await got.ack();
      } finally {
        await got.putBack(); // nothing to do after an `ack`
      }
      count++;
    }
    if (++iters >= maxIters) break;
  }
  return count;
}
