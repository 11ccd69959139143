/** What went wrong, as one word of a closed set; the program turns it into an exit code. */
export type DeadDropErrorCode =
  /** A name or value from outside that the grammar refuses. */
  | "bad-input"
  /** The name is taken and is not replaced. */
  | "exists"
  /** The file or directory is not there. */
  | "missing"
  /** A link, a device, or a file where a directory should be: never followed, never read. */
  | "wrong-kind"
  /** A bundle whose manifest is not satisfied yet. */
  | "arriving"
  /** Somebody is writing this reply now, or it is finished. */
  | "reply-taken"
  /** A followed file became shorter or was replaced by another text. */
  | "replaced"
  /** A wait reached its bound. */
  | "timeout"
  /** The system refused: permission, full disk, input/output error. */
  | "system";

/**
 * The one error class of the library: a sentence that names the thing, the value and the way out, a
 * {@linkcode DeadDropErrorCode} to branch on, and the system's own error as `cause`.
 *
 * @example
 * ```ts
 * import { DeadDropError, drop } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * try {
 *   await drop(dir, "hello", { name: "../hello" });
 * } catch (error) {
 *   console.log(error instanceof DeadDropError && error.code); // "bad-input"
 * }
 * ```
 */
export class DeadDropError extends Error {
  /** What went wrong, to branch on. */
  readonly code: DeadDropErrorCode;

  /** Makes one; `message` is a whole sentence without a final full stop. */
  constructor(code: DeadDropErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DeadDropError";
    this.code = code;
  }
}

/** The operating system's word for an error (`ENOSPC`, `ESTALE`), or an empty string. */
export function errnoOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/**
 * True for "it is not there": a plain miss, and `ESTALE`, which is what NFS says of a file that another client removed
 * while we held its handle.
 */
export function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || errnoOf(error) === "ESTALE";
}

/** The reason behind a system error in plain words, without Deno's "(os error 28)" tail and stack. */
function reasonOf(error: unknown): string {
  switch (errnoOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return "no space is left on that file system; free some and try again, nothing was lost";
    case "EACCES":
    case "EPERM":
      return "permission is denied; check the owner and mode";
    case "ENOTDIR":
    case "EEXIST":
      return "a file stands where a directory should be; remove it or choose another path";
    case "ENOENT":
      return "it does not exist; create it or correct the path";
    case "EROFS":
      return "that file system is read-only; choose another directory";
  }
  return error instanceof Error ? error.message.replace(/ \(os error \d+\).*$/s, "") : String(error);
}

/**
 * Turns an error of the outside world into one sentence about what we were doing; errors that are already ours, aborts
 * and missing Deno permissions pass through as they are.
 */
export function cannot(what: string, path: string, error: unknown): unknown {
  if (error instanceof DeadDropError || error instanceof DOMException) return error;
  if (error instanceof Deno.errors.NotCapable) return error;
  const errno = errnoOf(error);
  const code = isGone(error) ? "missing" : errno === "ENOTDIR" || errno === "EEXIST" ? "wrong-kind" : "system";
  return new DeadDropError(code, `Cannot ${what} ${path}: ${reasonOf(error)}`, { cause: error });
}
