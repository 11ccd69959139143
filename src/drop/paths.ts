import { cannot, DeadDropError, isGone } from "./error.ts";
import type { Host } from "./host.ts";

/** Paths: one place that joins segments and refuses to go through links. */

/** A directory as callers give it. */
export type Dir = string | URL;

/** A path string from what a caller gave, with no slash at its end. */
export function pathOf(dir: Dir): string {
  let path: string;
  if (typeof dir === "string") path = dir;
  else if (dir.protocol === "file:") path = fileUrlPath(dir);
  else throw new DeadDropError("bad-input", `Cannot use ${dir} as a directory: only file: URLs name one`);
  if (path === "" || path.includes("\0")) {
    throw new DeadDropError("bad-input", `Cannot use ${JSON.stringify(path)} as a directory: give a path`);
  }
  return path.length > 1 ? path.replace(Deno.build.os === "windows" ? /[/\\]+$/ : /\/+$/, "") || "/" : path;
}

function fileUrlPath(url: URL): string {
  const path = decodeURIComponent(url.pathname);
  return Deno.build.os === "windows" ? path.replace(/^\/([A-Za-z]:)/, "$1") : path;
}

/** `dir` and segments that were validated before, joined. */
export function join(dir: string, ...segments: string[]): string {
  return [dir.endsWith("/") ? dir.slice(0, -1) : dir, ...segments].join("/");
}

/** A backslash separates only on Windows; elsewhere it may be part of a name. */
function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf("/"), Deno.build.os === "windows" ? path.lastIndexOf("\\") : -1);
}

/** The directory a path stands in, `.` for a bare name. */
export function parentOf(path: string): string {
  const cut = lastSeparator(path);
  return cut < 0 ? "." : cut === 0 ? "/" : path.slice(0, cut);
}

/** The last segment of a path. */
export function baseOf(path: string): string {
  return path.slice(lastSeparator(path) + 1);
}

/** `lstat`, with `null` for what is not there. */
export async function lstatOrNull(host: Host, path: string): Promise<Deno.FileInfo | null> {
  try {
    return await host.fs.lstat(path);
  } catch (error) {
    if (isGone(error)) return null;
    throw cannot("look at", path, error);
  }
}

/**
 * Joins `segments` under `root`, refusing to pass through a link or a file; `root` itself may be a link, since the
 * caller chose it. What does not exist yet is fine.
 *
 * @throws {DeadDropError} `wrong-kind` for a link or a non-directory on the way.
 */
export async function inside(host: Host, root: string, ...segments: string[]): Promise<string> {
  let path = root;
  for (const segment of segments) {
    path = join(path, segment);
    const info = await lstatOrNull(host, path);
    if (info === null) return join(root, ...segments);
    if (info.isDirectory) continue;
    const kind = info.isSymlink ? "a link, and links are not followed" : "not a directory";
    throw new DeadDropError("wrong-kind", `Cannot use ${path}: it is ${kind}; remove it or choose another root`);
  }
  return path;
}

/** The visible and hidden entries of a directory, in no order. @throws {DeadDropError} when it cannot be listed. */
export async function list(host: Host, dir: string): Promise<Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(host.fs.readDir(dir));
  } catch (error) {
    throw cannot("list", dir, error);
  }
}

/** As {@linkcode list}, with no entries for a directory that is not there. */
export async function listOrEmpty(host: Host, dir: string): Promise<Deno.DirEntry[]> {
  try {
    return await list(host, dir);
  } catch (error) {
    if (error instanceof DeadDropError && error.code === "missing") return [];
    throw error;
  }
}
