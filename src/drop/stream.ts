import { AppendFile, type StreamWriter } from "./append.ts";
import { ensureDir, syncDir, type WriteOptions } from "./atomic.ts";
import { cannot, DeadDropError } from "./error.ts";
import { denoHost, type Host, type HostOption } from "./host.ts";
import { checkMessageName } from "./names.ts";
import { type Dir, join, pathOf } from "./paths.ts";

/** A file that others read while it is written. */

/** Options of {@linkcode stream}. */
export interface StreamOptions extends WriteOptions, HostOption {
  /** Ends the body's stream without the marker when it aborts. */
  readonly signal?: AbortSignal;
}

/** Runs `body`, then ends the file; on any failure or abort it stays without an end. */
export async function run(
  file: AppendFile,
  body: (writer: StreamWriter) => unknown,
  { signal, durable = true }: StreamOptions,
): Promise<void> {
  try {
    await abortable(async () => void await body(file), signal);
    signal?.throwIfAborted();
  } catch (error) {
    await file.abandon();
    throw error;
  }
  await file.end(durable);
}

/** Does `work`, or rejects with the signal's reason if that comes first; what `work` does after that concerns nobody. */
async function abortable(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await work();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Writes a file that others read while it grows, ended by a line `---DONE---` when `body` returns and by nothing when it
 * throws.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir Directory of the file; made when missing.
 * @param name File name, one path segment.
 * @param body Gets the writer; what it writes is visible at once.
 * @returns Full path of the file.
 * @throws {DeadDropError} `exists` when the name is taken; whatever `body` throws.
 *
 * @example
 * ```ts
 * import { followFile, stream } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * const path = await stream(dir, "log.md", async (w) => {
 *   await w.write("one ");
 *   await w.write("two");
 * });
 * console.log((await Array.fromAsync(followFile(path))).join("")); // "one two"
 * ```
 */
export async function stream(
  dir: Dir,
  name: string,
  body: (writer: StreamWriter) => unknown,
  options: StreamOptions = {},
): Promise<string> {
  const { host = denoHost, durable = true } = options;
  const parent = pathOf(dir);
  const path = join(parent, checkMessageName(name, "file name"));
  options.signal?.throwIfAborted(); // before anything is begun
  await ensureDir(host, parent, { durable });
  const file = await create(host, path, "exists");
  if (durable) await syncDir(host, parent);
  await run(file, body, options);
  return path;
}

/** Creates the file, which must not exist. */
export async function create(host: Host, path: string, code: "exists" | "reply-taken"): Promise<AppendFile> {
  try {
    return await AppendFile.create(host, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw cannot("write", path, error);
    throw new DeadDropError(code, `Cannot write ${path}: it exists, and nothing written is overwritten`, {
      cause: error,
    });
  }
}
