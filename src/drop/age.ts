import { type Host, randomHex } from "./host.ts";

/**
 * How long ago something changed, without believing anybody's clock: the stamp (`ctime`) and "now" are both read from the
 * file system that holds the file. A writer cannot set `ctime`, and `rsync -a` does not restore it; on a synced copy it
 * says when *this* machine saw the change.
 */

/** Deno shows `ctime` in whole seconds, so that an age is known to this; ages are rounded down by it. */
const STAMP_STEP_MS = 1000;

/** An offset between our clock and a file system's is trusted this long (10 min). */
const OFFSET_TTL_MS = 600_000;

interface Offset {
  readonly ms: number;
  readonly measuredAt: number;
}

const offsets = new WeakMap<Host, Map<string, Offset>>();

/** The file system's clock minus ours, in milliseconds, by writing a probe; 0 where nothing can be written. */
async function clockOffset(host: Host, dir: string): Promise<number> {
  const known = offsets.get(host) ?? new Map<string, Offset>();
  offsets.set(host, known);
  const cached = known.get(dir);
  const now = host.clock.monotonic();
  if (cached !== undefined && now - cached.measuredAt < OFFSET_TTL_MS) return cached.ms;
  const ms = await measureOffset(host, dir);
  known.set(dir, { ms, measuredAt: now });
  return ms;
}

async function measureOffset(host: Host, dir: string): Promise<number> {
  const path = `${dir}/.tmp-${randomHex(host, 16)}`;
  try {
    using file = await host.fs.open(path, { write: true, createNew: true, mode: 0o600 });
    await file.write(new Uint8Array(1));
    const stamp = (await file.stat()).mtime?.getTime();
    await host.fs.remove(path);
    return stamp === undefined ? 0 : stamp - host.clock.now();
  } catch {
    return 0;
  }
}

/** When the file system last changed this entry, by its own clock; `mtime` where there is no `ctime` (Windows). */
export function changedAtMs(info: Deno.FileInfo): number {
  return (info.ctime ?? info.mtime)?.getTime() ?? 0;
}

/** Age by our own clock alone, rounded down, never negative; for reports, which must not write. */
export function apparentAgeMs(host: Host, info: Deno.FileInfo): number {
  return Math.max(0, host.clock.now() - changedAtMs(info) - STAMP_STEP_MS);
}

/**
 * True when the entry described by `info` has not changed for `ms`.
 *
 * Our own clock may only say "no". Before the answer is "yes", and when the stamp lies in our future, the file system is
 * asked for its time, so that a clock that is off by an hour neither takes a lease away nor keeps it for ever.
 *
 * @param probeIn Directory of the same file system in which a probe may be written for that; `null` for callers that only
 * read, who then have to believe their own clock.
 */
export async function isOlder(host: Host, info: Deno.FileInfo, ms: number, probeIn: string | null): Promise<boolean> {
  const apparent = host.clock.now() - changedAtMs(info) - STAMP_STEP_MS;
  if (probeIn === null) return apparent >= ms;
  if (apparent >= -STAMP_STEP_MS && apparent < ms) return false;
  return apparent + await clockOffset(host, probeIn) >= ms;
}
