import { isOlder } from "./age.ts";
import { isGone } from "./error.ts";
import { type Host, randomHex } from "./host.ts";
import { discard, rename } from "./atomic.ts";
import { isMessageName } from "./names.ts";
import { join, lstatOrNull } from "./paths.ts";
import { readUpTo, type Skipped, skippedBy, statSame } from "./read.ts";
import { repeat } from "./repeat.ts";

/**
 * Taking a drop so that exactly one consumer has it. A claim is a rename to a hidden name, before anything is read: who
 * loses the race finds nothing there and goes on. The file is removed only when the consumer is done; a consumer that dies
 * leaves the claim behind, and the next one takes it over:
 *
 * - on the same machine at once: the claimant holds a file lock, which the kernel releases when it dies;
 * - from another machine after a lease: the claimant touches its claim, and one that stays untouched for `leaseMs` is free.
 *
 * Two machines that hold *copies* of one directory (Syncthing, Dropbox) cannot exclude each other this way.
 */

/** How long a claim of another machine stays untouched before it counts as abandoned (60 s). */
export const LEASE_MS = 60_000;

/** The largest drop that is read (64 MiB); a larger one stays where it is and is reported. */
export const MAX_DROP_BYTES = 64 * 1024 * 1024;

/** Tag of a claim whose holder could not lock it, so that only its lease can tell whether it lives. */
const NO_LOCK = "0".repeat(8);

const CLAIM_NAME = /^\.claim-([0-9a-f]{8})-(\d{1,3})-[0-9a-f]{8}~(.+)$/s;

/** What stands in a claim's name. */
interface ClaimName {
  readonly boot: string;
  readonly attempt: number;
  readonly name: string;
}

/** Takes a hidden name apart, or `undefined` when it is no claim. */
export function parseClaim(entry: string): ClaimName | undefined {
  const match = CLAIM_NAME.exec(entry);
  if (match === null || !isMessageName(match[3])) return undefined;
  return { boot: match[1], attempt: Number(match[2]), name: match[3] };
}

/** A drop in our hands. */
export class Claim {
  readonly #host: Host;
  readonly #dir: string;
  readonly #file: Deno.FsFile;
  readonly #path: string;
  readonly #info: Deno.FileInfo;
  readonly #heartbeat: { stop(): Promise<void> };
  #open = true;
  /** The name the drop had. */
  readonly name: string;
  /** 1 the first time; more when an earlier consumer died with it. */
  readonly attempt: number;

  constructor(
    host: Host,
    dir: string,
    at: ClaimName,
    path: string,
    file: Deno.FsFile,
    info: Deno.FileInfo,
    leaseMs: number,
  ) {
    this.#host = host;
    this.#dir = dir;
    this.#path = path;
    this.#file = file;
    this.#info = info;
    this.name = at.name;
    this.attempt = at.attempt;
    this.#heartbeat = repeat(host, leaseMs / 3, async () => {
      const now = new Date(host.clock.now());
      await host.fs.utime(path, now, info.mtime ?? now); // what counts is the `ctime` that this moves
    });
  }

  /** Size in bytes. */
  get size(): number {
    return this.#info.size;
  }

  /** The whole content. */
  read(): Promise<Uint8Array<ArrayBuffer>> {
    return readUpTo(this.#file, this.#info.size);
  }

  /** The consumer is done: removes the drop. */
  async ack(): Promise<void> {
    if (!this.#open) return;
    await discard(this.#host, this.#path);
    await this.#close();
  }

  /** The consumer is not: puts the drop back under its name, or leaves it to be redelivered if that is taken by now. */
  async putBack(): Promise<void> {
    if (!this.#open) return;
    const path = join(this.#dir, this.name);
    try {
      await this.#host.fs.link(this.#path, path);
      await discard(this.#host, this.#path);
    } catch (error) {
      const taken = error instanceof Deno.errors.AlreadyExists || isGone(error);
      if (!taken && await lstatOrNull(this.#host, path) === null) await rename(this.#host, this.#path, path);
    } finally {
      await this.#close();
    }
  }

  async #close(): Promise<void> {
    this.#open = false;
    await this.#heartbeat.stop();
    this.#file.close();
  }
}

/** NFS locks exclusively only through a handle that may write; a drop that we may only read is still taken. */
async function openToLock(host: Host, path: string): Promise<Deno.FsFile> {
  try {
    return await host.fs.open(path, { read: true, write: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    return await host.fs.open(path, { read: true });
  }
}

/** Opens and locks; `undefined` when it is gone, locked by somebody else, or a link was put in its place. */
async function openLocked(host: Host, path: string): Promise<{ file: Deno.FsFile; locked: boolean } | undefined> {
  let file: Deno.FsFile;
  try {
    file = await openToLock(host, path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  try {
    if (await file.tryLock(true)) return { file, locked: true };
    file.close();
    return undefined;
  } catch {
    return { file, locked: false }; // no locks here (NFS without them, some FUSE file systems): leases alone decide
  }
}

/**
 * Takes the drop `entry` of `dir`, or an abandoned claim on one.
 *
 * @param entry Name of a drop, or hidden name of a claim.
 * @returns The claim; `null` when somebody else has it; what is wrong with it when it cannot be taken at all.
 */
export async function claim(
  host: Host,
  dir: string,
  entry: string,
  leaseMs: number,
  maxBytes: number,
): Promise<Claim | Skipped | null> {
  const path = join(dir, entry);
  const previous = parseClaim(entry);
  try {
    if (previous !== undefined && !await mayBeDead(host, dir, entry, previous, leaseMs)) return null;
    const opened = await openLocked(host, path);
    if (opened === undefined) return null;
    const { file, locked } = opened;
    const keep = (skipped: Skipped | null) => (file.close(), skipped);
    const before = await statSame(host, file, path);
    if (before === undefined) {
      const named = await lstatOrNull(host, path);
      return keep(named === null || named.isFile ? null : { path, reason: "not-a-file", detail: "" });
    }
    if (before.size > maxBytes) return keep({ path, reason: "too-large", detail: `${before.size} bytes` });
    const at: ClaimName = {
      boot: locked ? await host.bootTag() ?? NO_LOCK : NO_LOCK,
      attempt: Math.min((previous?.attempt ?? 0) + 1, 999),
      name: previous?.name ?? entry,
    };
    const claimed = join(dir, `.claim-${at.boot}-${at.attempt}-${randomHex(host, 4)}~${at.name}`);
    try {
      await rename(host, path, claimed);
    } catch (error) {
      keep(null);
      if (isGone(error)) return null;
      throw error;
    }
    const info = await statSame(host, file, claimed);
    if (info !== undefined) return new Claim(host, dir, at, claimed, file, info, leaseMs);
    // Between the look and the rename a newer file got this name; we hold the older one's lock. Put the newer one back
    // and let the next look take it.
    keep(null);
    await host.fs.link(claimed, path).then(() => discard(host, claimed), () => {});
    return null;
  } catch (error) {
    return skippedBy(path, error);
  }
}

/**
 * Whether a claim may be taken over. On this boot the lock will tell when it is opened; elsewhere only an untouched lease.
 */
async function mayBeDead(host: Host, dir: string, entry: string, at: ClaimName, leaseMs: number): Promise<boolean> {
  if (at.boot !== NO_LOCK && at.boot === await host.bootTag()) return true;
  const info = await lstatOrNull(host, join(dir, entry));
  return info !== null && await isOlder(host, info, leaseMs, dir);
}
