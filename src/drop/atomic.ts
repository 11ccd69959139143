import { cannot, DeadDropError, isGone } from "./error.ts";
import { isOlder } from "./age.ts";
import { type Host, randomHex } from "./host.ts";
import { baseOf, join, listOrEmpty, lstatOrNull, parentOf } from "./paths.ts";

/**
 * Writing so that a reader sees all of a file or nothing of it: a hidden temporary beside the target, then one rename.
 * Beside, because a rename does not cross file systems.
 */

/** Temporaries are `.tmp-` and 32 hex digits, the Python peer's form; every reader skips a leading dot. */
const TEMP_NAME = /^\.tmp-[0-9a-f]{32}$/;

/** A temporary this old (1 h) belongs to a writer that died; no single write takes that long without touching it. */
export const TEMP_MAX_AGE_MS = 3_600_000;

/** Windows lets a virus scanner hold a new file for a moment; a rename is tried this often there (npm/write-file-atomic#227). */
const WINDOWS_RENAME_TRIES = 6;

/** How something is written; the same everywhere. */
export interface WriteOptions {
  /** Flush the file and its directory to the disk before returning, so that a power cut loses nothing. @default {true} */
  readonly durable?: boolean;
}

/** A new name for a temporary in some directory. */
export function tempName(host: Host): string {
  return `.tmp-${randomHex(host, 16)}`;
}

/**
 * The modes new entries of `dir` get. Private by default (0600, 0700). A directory with the set-group-id bit was made a
 * share of its group on purpose, so what is created in it can be read and written by the group (0660, 2770).
 */
async function modesFor(host: Host, dir: string): Promise<{ file: number; dir: number; shared: boolean }> {
  const mode = await ignoreNotCapable(lstatOrNull(host, dir)).then((info) => info?.mode ?? 0);
  const shared = (mode & 0o2000) !== 0;
  return shared ? { file: 0o660, dir: 0o2770, shared } : { file: 0o600, dir: 0o700, shared };
}

/** For the parent of a root: a program that may use the root alone cannot look at it, and need not. */
async function ignoreNotCapable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** Flushes a directory, which makes the names in it survive a power cut; a no-op where directories cannot be opened. */
export async function syncDir(host: Host, dir: string): Promise<void> {
  try {
    using handle = await host.fs.open(dir, { read: true });
    await handle.sync();
  } catch (error) {
    // Windows cannot open directories, and some network file systems refuse to flush them: nothing more can be done there.
    if (Deno.build.os !== "windows" && !(error instanceof Deno.errors.NotSupported)) throw cannot("flush", dir, error);
  }
}

/** Makes `dir` and its missing parents, private or as the parent's group shares it. */
export async function ensureDir(host: Host, dir: string, { durable = true }: WriteOptions = {}): Promise<void> {
  const info = await lstatOrNull(host, dir);
  if (info?.isDirectory || info?.isSymlink) return; // a link is the caller's own choice; `inside` guards what is below
  if (info !== null) {
    throw new DeadDropError("wrong-kind", `Cannot use ${dir} as a directory: it is a file; choose another path`);
  }
  const parent = parentOf(dir);
  for (let attempt = 1;; attempt++) {
    try {
      await makeDir(host, dir);
      break;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) break;
      // Still missing the second time: a link on the way whose target is not there, such as a disk that is not mounted.
      const retry = error instanceof Deno.errors.NotFound && parent !== dir && attempt === 1;
      if (!retry) throw cannot("make the directory", dir, error);
      await ensureDir(host, parent, { durable });
    }
  }
  if (durable) await ignoreNotCapable(syncDir(host, parent));
}

/** Writes all of `bytes`, however many calls the system takes for it. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
}

/** Opens `path`, which must not exist, with the mode that files of its directory get. */
export async function openNew(host: Host, path: string, options: Deno.OpenOptions): Promise<Deno.FsFile> {
  const modes = await modesFor(host, parentOf(path));
  const file = await host.fs.open(path, { ...options, createNew: true, mode: modes.file });
  if (modes.shared) await host.fs.chmod(path, modes.file); // the umask may have taken the group's bits away
  return file;
}

/** Makes the directory `path`, which must not exist, with the mode that directories of its parent get. */
export async function makeDir(host: Host, path: string): Promise<void> {
  const modes = await modesFor(host, parentOf(path));
  await host.fs.mkdir(path, { mode: modes.dir & 0o777 });
  if (modes.shared) await host.fs.chmod(path, modes.dir);
}

/** Creates `path`, which must not exist, with `bytes`; removes it again when that fails. */
export async function writeNew(host: Host, path: string, bytes: Uint8Array, { durable = true }: WriteOptions = {}) {
  let file: Deno.FsFile | undefined;
  try {
    file = await openNew(host, path, { write: true });
    await writeAll(file, bytes);
    if (durable) await file.sync();
    file.close();
  } catch (error) {
    if (file !== undefined) {
      try {
        file.close();
      } catch { /* closed already */ }
      await discard(host, path);
    }
    throw error;
  }
}

/** `rename`, patient with the short locks of Windows scanners. */
export async function rename(host: Host, from: string, to: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await host.fs.rename(from, to);
    } catch (error) {
      const busy = error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.Busy;
      if (Deno.build.os !== "windows" || !busy || attempt >= WINDOWS_RENAME_TRIES) throw error;
      await host.clock.sleep(10 * 2 ** attempt);
    }
  }
}

/** Gives `temp` the name `path` unless that is taken; a hard link, where there are any, decides without a race. */
export async function publishNew(host: Host, temp: string, path: string): Promise<void> {
  try {
    await host.fs.link(temp, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw taken(path);
    if (error instanceof Deno.errors.NotFound) throw error;
    // No hard links here (FAT, some network and FUSE file systems): look, then rename; two writers of one name could race.
    if (await lstatOrNull(host, path) !== null) throw taken(path);
    return await rename(host, temp, path);
  }
  await host.fs.remove(temp);
}

function taken(path: string): DeadDropError {
  return new DeadDropError(
    "exists",
    `Cannot write ${path}: that name is taken, and names are not reused; choose another or ask to replace it`,
  );
}

/** How a name that exists already is met. `unique` says the name is random, which saves the check. */
export type Existing = "refuse" | "replace" | "unique";

/**
 * Writes `bytes` to `dir/name` in one step: a reader sees the old content or the new, never a part.
 *
 * @throws {DeadDropError} `exists` when the name is taken and `existing` is `"refuse"`; `system` when the disk refuses, in
 * which case the temporary is removed again.
 */
export async function writeAtomic(
  host: Host,
  dir: string,
  name: string,
  bytes: Uint8Array,
  existing: Existing,
  { durable = true }: WriteOptions = {},
): Promise<string> {
  const path = join(dir, name);
  const temp = join(dir, tempName(host));
  try {
    await writeNew(host, temp, bytes, { durable });
    if (existing === "refuse") await publishNew(host, temp, path);
    else await rename(host, temp, path);
    if (durable) await syncDir(host, dir);
  } catch (error) {
    await discard(host, temp);
    if (error instanceof Deno.errors.IsADirectory) throw taken(path);
    throw cannot("write", path, error);
  }
  return path;
}

/** Removes a file or directory of ours if it is there; a failure to do so is left to the next sweep. */
export async function discard(host: Host, path: string): Promise<void> {
  try {
    await host.fs.remove(path, { recursive: true });
  } catch { /* gone already, or the sweep will try again */ }
}

/** Sets a damaged file aside as `<path>.corrupt-<time>`, so that it is never overwritten. */
export async function setAside(host: Host, path: string): Promise<string> {
  const stamp = new Date(host.clock.now()).toISOString().replace(/[-:.]/g, "");
  const aside = join(parentOf(path), `${baseOf(path)}.corrupt-${stamp}`);
  await rename(host, path, aside);
  return aside;
}

/**
 * Removes temporaries in `dir` whose writer must have died, by their age on the file system's own clock.
 *
 * @param olderThanMs Age from which a temporary counts as abandoned. @default {TEMP_MAX_AGE_MS}
 * @returns How many were removed.
 */
export async function sweepTemps(host: Host, dir: string, olderThanMs: number = TEMP_MAX_AGE_MS): Promise<number> {
  let swept = 0;
  for (const { name } of await listOrEmpty(host, dir)) {
    if (!TEMP_NAME.test(name)) continue;
    const path = join(dir, name);
    try {
      if (!await isOlder(host, await host.fs.lstat(path), olderThanMs, dir)) continue;
    } catch (error) {
      if (isGone(error)) continue;
      throw cannot("look at", path, error);
    }
    await discard(host, path);
    swept++;
  }
  return swept;
}
