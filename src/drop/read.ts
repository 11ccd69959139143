import { DeadDropError, errnoOf, isGone } from "./error.ts";
import type { Host } from "./host.ts";
import { lstatOrNull } from "./paths.ts";

/** Reading what lies in a shared directory: regular files only, never through a link, never more than a bound. */

/** Why an entry was left alone, for the person who looks after the directory. */
export interface Skipped {
  /** Full path of the entry. */
  readonly path: string;
  /** `denied` and `unreadable` may pass (a cloud placeholder); `too-large` and `not-a-file` will not. */
  readonly reason: "denied" | "unreadable" | "too-large" | "not-a-file";
  /** The system's own words, or the size; empty where there is nothing to add. */
  readonly detail: string;
}

/** What is known of an open file when it is the regular file that has this path now, and not what a link points to. */
export async function statSame(host: Host, file: Deno.FsFile, path: string): Promise<Deno.FileInfo | undefined> {
  const [opened, named] = [await file.stat(), await lstatOrNull(host, path)];
  return named?.isFile && opened.ino === named.ino && opened.dev === named.dev ? opened : undefined;
}

/** Everything from the current position of `file`, at most `size` bytes. */
export async function readUpTo(file: Deno.FsFile, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = await file.read(bytes.subarray(length));
    if (count === null) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

/** Turns the failure to take one entry into a value; what concerns the whole disk or our own permissions is thrown on. */
export function skippedBy(path: string, error: unknown): Skipped {
  const fatal = error instanceof Deno.errors.NotCapable || error instanceof DeadDropError ||
    ["ENOSPC", "EDQUOT", "EROFS"].includes(errnoOf(error));
  if (fatal) throw error;
  const denied = error instanceof Deno.errors.PermissionDenied;
  return { path, reason: denied ? "denied" : "unreadable", detail: error instanceof Error ? error.message : "" };
}

/** The bytes of the regular file `path`; `null` when it is not there; why not, when it cannot be read. */
export async function readRegular(
  host: Host,
  path: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | Skipped | null> {
  try {
    const named = await lstatOrNull(host, path);
    if (named === null) return null;
    if (!named.isFile) return { path, reason: "not-a-file", detail: "" }; // opening a pipe would wait for its other end
    if (named.size > maxBytes) return { path, reason: "too-large", detail: `${named.size} bytes` };
    using file = await host.fs.open(path, { read: true });
    const info = await statSame(host, file, path);
    if (info === undefined) return null;
    return await readUpTo(file, Math.min(info.size, maxBytes));
  } catch (error) {
    return isGone(error) ? null : skippedBy(path, error);
  }
}
