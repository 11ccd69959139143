import type { Host } from "./host.ts";
import { isName } from "./names.ts";
import { join } from "./paths.ts";
import { readRegular } from "./read.ts";

/** What a bundle says of itself: the names, sizes and digests of its files, written last, in a hidden file. */

/** Its file name. */
export const MANIFEST = ".manifest.json";
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** A bundle holds at most this many files; more belong into an archive. */
export const MAX_BUNDLE_FILES = 1000;

/** One file of a bundle. */
export interface ManifestFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** Digest of some bytes, in hex. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** The manifest of a bundle: `undefined` when there is none, `"arriving"` when it cannot be read whole. */
export async function readManifest(
  host: Host,
  path: string,
): Promise<readonly ManifestFile[] | "arriving" | undefined> {
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
