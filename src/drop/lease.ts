import { isOlder } from "./age.ts";
import { discard, openNew, publishNew, tempName, writeAll } from "./atomic.ts";
import { cannot, DeadDropError, isGone } from "./error.ts";
import { type Host, randomHex } from "./host.ts";
import { join, lstatOrNull } from "./paths.ts";
import { statSame } from "./read.ts";
import { repeat } from "./repeat.ts";

/**
 * A lease says "somebody is on it" and ends by itself when that somebody dies. It is a small file:
 *
 * - a *live* lease is locked and touched by its holder for as long as that works on it. On the same machine the lock tells
 *   at once whether the holder lives; from another one an untouched file counts as abandoned after the lease time;
 * - a *timed* lease has no holder that could die (a command that hands out a prompt and exits): it simply runs out.
 */

const MAX_BYTES = 1024;

/** No lease is longer than this (7 days): a holder that works on touches it much earlier. */
const MAX_LEASE_MS = 604_800_000;

interface LeaseFile {
  /** Boot tag when the holder locks the file; `null` for a timed lease, and where there are no locks. */
  readonly boot: string | null;
  readonly leaseMs: number;
  /** Random; tells two leases of one name apart. */
  readonly token: string;
}

/** A lease in our hands. */
export interface Lease {
  /** Ends it and removes its file. */
  release(): Promise<void>;
  /** Stops working without an end: the file stays and tells that the work was abandoned. */
  abandon(): Promise<void>;
}

/** Whether anybody holds a lease: `none` when there is no such file, `expired` when its holder is gone or its time is up. */
export type LeaseState = "none" | "held" | "expired";

function parse(bytes: Uint8Array): LeaseFile | undefined {
  try {
    const { boot, leaseMs, token } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    if (typeof leaseMs !== "number" || !(leaseMs >= 0) || typeof token !== "string") return undefined;
    return { boot: typeof boot === "string" ? boot : null, leaseMs, token };
  } catch {
    return undefined; // torn by a crash or not ours
  }
}

/** How long a lease file that cannot be read is respected (60 s). */
const UNREADABLE_LEASE_MS = 60_000;

async function judge(host: Host, path: string, file: Deno.FsFile, probeIn: string | null): Promise<LeaseState> {
  const info = await statSame(host, file, path);
  if (info === undefined) return "none";
  const bytes = new Uint8Array(MAX_BYTES);
  const length = await file.read(bytes) ?? 0;
  const lease = parse(bytes.subarray(0, length));
  // The caller holds the lock by now, so a holder of this boot is gone.
  if (lease !== undefined && lease.boot !== null && lease.boot === await host.bootTag()) return "expired";
  return await isOlder(host, info, lease?.leaseMs ?? UNREADABLE_LEASE_MS, probeIn) ? "expired" : "held";
}

/** Opens the lease file and locks it; `held` when its holder, or another judge at this moment, has the lock. */
async function openToJudge(host: Host, path: string, write: boolean): Promise<Deno.FsFile | "none" | "held"> {
  const info = await lstatOrNull(host, path);
  if (info === null) return "none";
  if (!info.isFile) {
    throw new DeadDropError("wrong-kind", `Cannot use ${path} as a lease: it is not a regular file; remove it`);
  }
  let file: Deno.FsFile;
  try {
    file = await host.fs.open(path, { read: true, write });
  } catch (error) {
    if (isGone(error)) return "none";
    if (error instanceof Deno.errors.PermissionDenied) return "held"; // somebody else's, and not ours to judge
    throw cannot("open", path, error);
  }
  try {
    if (await file.tryLock(write)) return file;
    file.close();
    return "held";
  } catch {
    return file; // no locks on this file system: age decides
  }
}

/** Looks at a lease; only reads unless `probeIn` allows to ask the file system for its time. */
export async function leaseState(
  host: Host,
  dir: string,
  name: string,
  probeIn: string | null = null,
): Promise<LeaseState> {
  const path = join(dir, name);
  const file = await openToJudge(host, path, false);
  if (typeof file === "string") return file;
  try {
    return await judge(host, path, file, probeIn);
  } finally {
    file.close();
  }
}

/** How a lease is taken. */
export interface TakeLeaseOptions {
  /** Time until an untouched lease runs out, in milliseconds. */
  readonly leaseMs: number;
  /** Hold it: locked and touched until it is released. Otherwise it is timed. */
  readonly live: boolean;
}

/**
 * Takes the lease `dir/name` unless somebody holds it.
 *
 * @returns The lease and whether an abandoned one was taken over; `null` when it is held.
 */
export async function takeLease(
  host: Host,
  dir: string,
  name: string,
  options: TakeLeaseOptions,
): Promise<{ lease: Lease; takenOver: boolean } | null> {
  const { live } = options;
  const leaseMs = Math.min(options.leaseMs, MAX_LEASE_MS);
  const path = join(dir, name);
  const boot = live ? await host.bootTag() : null;
  const content: LeaseFile = { boot, leaseMs, token: randomHex(host, 8) };
  const bytes = new TextEncoder().encode(JSON.stringify(content) + "\n");
  try {
    const fresh = await createLocked(host, dir, path, bytes);
    if (fresh !== "taken") return { lease: holdLease(host, path, fresh, leaseMs, live), takenOver: false };
    const file = await openToJudge(host, path, true);
    const state = typeof file === "string" ? file : await judge(host, path, file, dir);
    if (typeof file !== "string") {
      if (state === "expired") {
        await overwrite(file, bytes);
        return { lease: holdLease(host, path, file, leaseMs, live), takenOver: true };
      }
      file.close();
    }
    // `none`: it went away while it was judged, so its holder is done with it and it is free.
    return state === "held" ? null : await takeLease(host, dir, name, options);
  } catch (error) {
    throw cannot("write", path, error);
  }
}

/** Creates a lease file that is whole and locked from the moment it has its name. */
async function createLocked(host: Host, dir: string, path: string, bytes: Uint8Array): Promise<Deno.FsFile | "taken"> {
  const temp = join(dir, tempName(host));
  const file = await openNew(host, temp, { read: true, write: true });
  try {
    await file.lock(true).catch(() => {}); // no locks on this file system: age decides
    await writeAll(file, bytes);
    await publishNew(host, temp, path);
    return file;
  } catch (error) {
    file.close();
    await discard(host, temp);
    if (error instanceof DeadDropError && error.code === "exists") return "taken";
    throw error;
  }
}

/** Writes our own content into an abandoned lease that we have locked. */
async function overwrite(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  await file.truncate(0);
  await file.seek(0, Deno.SeekMode.Start);
  await writeAll(file, bytes);
}

function holdLease(host: Host, path: string, file: Deno.FsFile, leaseMs: number, live: boolean): Lease {
  if (!live) file.close();
  const touching = live
    ? repeat(host, leaseMs / 3, async () => {
      const now = new Date(host.clock.now());
      await host.fs.utime(path, now, now);
    })
    : undefined;
  const stop = async () => {
    if (touching === undefined) return;
    await touching.stop();
    file.close();
  };
  return {
    abandon: stop,
    async release() {
      await host.fs.remove(path).catch(() => {}); // an extra file left behind runs out by itself
      await stop();
    },
  };
}
