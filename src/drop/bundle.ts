import { discard, ensureDir, makeDir, rename, syncDir, tempName, writeNew, type WriteOptions } from "./atomic.ts";
import { MAX_DROP_BYTES } from "./claim.ts";
import { bytesOf } from "./drop.ts";
import { cannot, DeadDropError } from "./error.ts";
import { denoHost, type HostOption } from "./host.ts";
import { promptId } from "./ids.ts";
import { MANIFEST, type ManifestFile, MAX_BUNDLE_FILES, sha256 } from "./manifest.ts";
import { checkMessageName, checkName, quote } from "./names.ts";
import { type Dir, join, lstatOrNull, pathOf } from "./paths.ts";

/**
 * Several files as one message: a directory, built under a hidden name and renamed into place. A sync tool carries it over
 * file by file, so it holds a manifest (names, sizes, digests), and a reader does not see the bundle until that is satisfied.
 */

/** File names and their contents. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

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
  const name = id === undefined ? promptId(host, firstText) : checkMessageName(id, "bundle id");
  const path = join(parent, name);
  await ensureDir(host, parent, { durable });
  const temp = join(parent, tempName(host));
  try {
    if (await lstatOrNull(host, path) !== null) {
      throw new DeadDropError("exists", `Cannot write the bundle ${path}: that id is taken; choose another`);
    }
    await makeDir(host, temp);
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
