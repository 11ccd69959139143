import { isOlder } from "./age.ts";
import { MAX_DROP_BYTES } from "./claim.ts";
import { contentOf } from "./drop.ts";
import { DeadDropError } from "./error.ts";
import { denoHost, type Host, type HostOption } from "./host.ts";
import { MANIFEST, readManifest, sha256 } from "./manifest.ts";
import { isName, leftoverOf } from "./names.ts";
import { baseOf, type Dir, join, listOrEmpty, lstatOrNull, pathOf } from "./paths.ts";
import { readRegular } from "./read.ts";

/** The reading side of a bundle: not before it is whole, and exactly what was sent. */

/** What a bundle holds, as it is read: text where the bytes are valid UTF-8, else the exact bytes. */
export type ReadFiles = Record<string, string | Uint8Array<ArrayBuffer>>;

/** A bundle without a manifest (the Python peer writes none) is taken after nothing in it changed for this long (2 s). */
export const BUNDLE_QUIET_MS = 2_000;

/** File names of a bundle without a manifest: what a person put there, without leftovers of a transfer. */
async function plainFiles(host: Host, path: string): Promise<string[]> {
  const names: string[] = [];
  for (const { name, isFile } of await listOrEmpty(host, path)) {
    const leftover = leftoverOf(name);
    if (isFile && isName(name) && (leftover === undefined || leftover === "copy")) names.push(name);
  }
  return names.sort();
}

/** Ids that we make: we always write a manifest, so that one without it has not arrived yet, however quiet it is. */
function isOurs(path: string): boolean {
  return /^\d{8}T\d{9}-/.test(baseOf(path));
}

/**
 * Whether a bundle may be read. `ready`: all files of its manifest are there with their sizes, or, without a manifest, it
 * holds files and has been quiet for {@linkcode BUNDLE_QUIET_MS}. `settling`: no manifest, and something changed a moment
 * ago. `arriving`: something is certainly missing.
 *
 * @param probeIn Where the file system may be asked for its time, see {@linkcode isOlder}; never the bundle itself, whose
 * quiet that would break.
 */
export async function bundleState(
  host: Host,
  path: string,
  probeIn: string | null = null,
): Promise<"ready" | "settling" | "arriving"> {
  const manifest = await readManifest(host, path);
  if (manifest === "arriving") return "arriving";
  if (manifest !== undefined) {
    for (const { name, size } of manifest) {
      const info = await lstatOrNull(host, join(path, name));
      if (!info?.isFile || info.size !== size) return "arriving";
    }
    return "ready";
  }
  if (isOurs(path)) return "arriving";
  const entries = await listOrEmpty(host, path);
  if ((await plainFiles(host, path)).length === 0) return "arriving";
  for (const name of [".", ...entries.map((entry) => entry.name)]) {
    const info = await lstatOrNull(host, join(path, name));
    if (info === null || !await isOlder(host, info, BUNDLE_QUIET_MS, probeIn)) return "settling";
  }
  return "ready";
}

/**
 * Reads every file of a bundle.
 *
 * With a manifest, exactly the files it names, checked against their digests; without one (from the Python peer), all
 * visible regular files.
 *
 * Needs `--allow-read` for `path`.
 *
 * @param path The bundle's directory.
 * @returns Contents by file name, sorted: text where it is valid UTF-8, else the exact bytes.
 * @throws {DeadDropError} `missing` when there is no such bundle; `arriving` while a file of its manifest is missing or not
 * whole; `wrong-kind` when a link stands in it; `system` when a file cannot be read.
 *
 * @example
 * ```ts
 * import { dropBundle, readBundle } from "@deaddrop/deaddrop";
 *
 * const path = await dropBundle(await Deno.makeTempDir(), { "a.txt": "line\r\n" });
 * console.log(await readBundle(path)); // { "a.txt": "line\r\n" }
 * ```
 */
export async function readBundle(path: Dir, options: HostOption = {}): Promise<ReadFiles> {
  const { host = denoHost } = options;
  const dir = pathOf(path);
  const info = await lstatOrNull(host, dir);
  if (info === null) {
    throw new DeadDropError("missing", `Cannot read the bundle ${dir}: it does not exist; check its id`);
  }
  if (!info.isDirectory) throw new DeadDropError("wrong-kind", `Cannot read ${dir}: it is not a bundle's directory`);
  const manifest = await readManifest(host, dir);
  const arriving = (name: string) =>
    new DeadDropError(
      "arriving",
      `Cannot read ${join(dir, name)}: it has not arrived whole yet; try again in a moment`,
    );
  if (manifest === "arriving" || (manifest === undefined && isOurs(dir))) throw arriving(MANIFEST);
  const expected = manifest ?? (await plainFiles(host, dir)).map((name) => ({ name }));
  const files: ReadFiles = Object.create(null);
  for (const file of [...expected].sort((a, b) => a.name < b.name ? -1 : 1)) {
    const bytes = await readRegular(host, join(dir, file.name), MAX_DROP_BYTES);
    if (bytes === null) throw arriving(file.name);
    if (!(bytes instanceof Uint8Array)) {
      const code = bytes.reason === "not-a-file" ? "wrong-kind" : "system";
      const why = bytes.reason === "not-a-file" ? "it is not a regular file, and links are not followed" : bytes.detail;
      throw new DeadDropError(code, `Cannot read ${bytes.path}: ${why}; ask the sender for it again`);
    }
    if ("sha256" in file && (bytes.length !== file.size || await sha256(bytes) !== file.sha256)) {
      throw arriving(file.name);
    }
    files[file.name] = contentOf(bytes);
  }
  return { ...files };
}
