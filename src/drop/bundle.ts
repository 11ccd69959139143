import { isOlder } from "./age.ts";
import { discard, ensureDir, rename, syncDir, tempName, writeNew, type WriteOptions } from "./atomic.ts";
import { MAX_DROP_BYTES } from "./claim.ts";
import { bytesOf, contentOf } from "./drop.ts";
import { cannot, DeadDropError } from "./error.ts";
import { denoHost, type Host, type HostOption } from "./host.ts";
import { promptId } from "./ids.ts";
import { checkName, isName, leftoverOf, quote } from "./names.ts";
import { baseOf, type Dir, join, listOrEmpty, lstatOrNull, pathOf } from "./paths.ts";
import { readRegular } from "./read.ts";

/**
 * Several files as one message: a directory, built under a hidden name and renamed into place. A sync tool carries it over
 * file by file, so it holds a manifest (names, sizes, digests), and a reader does not see the bundle until that is satisfied.
 */

/** File names and their contents. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** What a bundle holds, as it is read: text where the bytes are valid UTF-8, else the exact bytes. */
export type ReadFiles = Record<string, string | Uint8Array<ArrayBuffer>>;

const MANIFEST = ".manifest.json";
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** A bundle holds at most this many files; more belong into an archive. */
export const MAX_BUNDLE_FILES = 1000;

/** A bundle without a manifest (the Python peer writes none) is taken after nothing in it changed for this long (2 s). */
export const BUNDLE_QUIET_MS = 2_000;

interface ManifestFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Options of {@linkcode dropBundle}. */
export interface DropBundleOptions extends WriteOptions, HostOption {
  /** Name of the bundle's directory. @default an id made from the time and the first text */
  readonly id?: string;
}

/**
 * Leaves several files as one message, in one step.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir Directory to put the bundle in; made when missing.
 * @param files Names, each one path segment, and contents.
 * @returns Full path of the bundle's directory.
 * @throws {DeadDropError} `bad-input` for an unsafe name or no files; `exists` when the id is taken; `system` when the disk
 * refuses, in which case nothing is left behind.
 *
 * @example
 * ```ts
 * import { dropBundle, readBundle } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * const path = await dropBundle(dir, { "note.txt": "see picture", "dot.png": new Uint8Array([0x89, 0x50]) });
 * console.log(Object.keys(await readBundle(path))); // ["dot.png", "note.txt"]
 * ```
 */
export async function dropBundle(dir: Dir, files: Files, options: DropBundleOptions = {}): Promise<string> {
  const { host = denoHost, id, durable } = options;
  const parent = pathOf(dir);
  const contents = checkFiles(files);
  const firstText = Object.values(files).find((content) => typeof content === "string") ?? "";
  const name = id === undefined ? promptId(host, firstText) : checkName(id, "bundle id");
  const path = join(parent, name);
  await ensureDir(host, parent, { durable });
  const temp = join(parent, tempName(host));
  try {
    if (await lstatOrNull(host, path) !== null) {
      throw new DeadDropError("exists", `Cannot write the bundle ${path}: that id is taken; choose another`);
    }
    await host.fs.mkdir(temp, { mode: 0o700 });
    const manifest: ManifestFile[] = [];
    for (const [name, bytes] of contents) {
      await writeNew(host, join(temp, name), bytes, { durable });
      manifest.push({ name, size: bytes.length, sha256: await sha256(bytes) });
    }
    const text = JSON.stringify({ v: 1, files: manifest }) + "\n";
    await writeNew(host, join(temp, MANIFEST), new TextEncoder().encode(text), { durable });
    if (durable ?? true) await syncDir(host, temp);
    await rename(host, temp, path);
    if (durable ?? true) await syncDir(host, parent);
  } catch (error) {
    await discard(host, temp);
    throw cannot("write the bundle", path, error);
  }
  return path;
}

function checkFiles(files: Files): Map<string, Uint8Array> {
  const entries = Object.entries(files);
  if (entries.length === 0 || entries.length > MAX_BUNDLE_FILES) {
    const count = entries.length === 0 ? "no files" : `${entries.length} files`;
    throw new DeadDropError("bad-input", `Cannot write a bundle of ${count}: give 1 to ${MAX_BUNDLE_FILES}`);
  }
  const contents = new Map<string, Uint8Array>();
  const folded = new Map<string, string>();
  for (const [name, content] of entries) {
    checkName(name, "file name");
    const key = name.normalize("NFC").toLowerCase();
    const twin = folded.get(key);
    if (twin !== undefined) {
      const why = "some systems take both for the same name; rename one";
      throw new DeadDropError("bad-input", `Cannot put ${quote(twin)} and ${quote(name)} into one bundle: ${why}`);
    }
    folded.set(key, name);
    const bytes = bytesOf(content, `the file ${quote(name)}`);
    if (bytes.length > MAX_DROP_BYTES) {
      const why =
        `${bytes.length} bytes are more than the ${MAX_DROP_BYTES} that a reader takes; send its path instead`;
      throw new DeadDropError("bad-input", `Cannot write the file ${quote(name)}: ${why}`);
    }
    contents.set(name, bytes);
  }
  return contents;
}

/** The manifest of a bundle: `undefined` when there is none, `"arriving"` when it cannot be read whole. */
async function readManifest(host: Host, path: string): Promise<readonly ManifestFile[] | "arriving" | undefined> {
  const bytes = await readRegular(host, join(path, MANIFEST), MAX_MANIFEST_BYTES);
  if (bytes === null) return undefined;
  if (!(bytes instanceof Uint8Array)) return "arriving";
  try {
    const { files } = JSON.parse(new TextDecoder().decode(bytes)) as { files: unknown };
    if (!Array.isArray(files) || files.length > MAX_BUNDLE_FILES || !files.every(isManifestFile)) return "arriving";
    return files;
  } catch {
    return "arriving";
  }
}

function isManifestFile(value: unknown): value is ManifestFile {
  const { name, size, sha256 } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && isName(name) && Number.isSafeInteger(size) && typeof sha256 === "string";
}

/** File names of a bundle without a manifest: what a person put there, without leftovers of a transfer. */
async function plainFiles(host: Host, path: string): Promise<string[]> {
  const names: string[] = [];
  for (const { name, isFile } of await listOrEmpty(host, path)) {
    const leftover = leftoverOf(name);
    if (isFile && isName(name) && (leftover === undefined || leftover === "copy")) names.push(name);
  }
  return names.sort();
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
  if (manifest === "arriving") throw arriving(MANIFEST);
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

/** The id in a bundle's path. */
export function bundleId(path: string): string {
  return baseOf(path);
}
