import { isOlder } from "./age.ts";
import { cannot } from "./error.ts";
import { denoHost, type HostOption } from "./host.ts";
import { leaseState } from "./lease.ts";
import { quote } from "./names.ts";
import { type Dir, join, pathOf } from "./paths.ts";
import { replyEnd, replyLease, replyName, STALE_MS } from "./reply_files.ts";
import { EXTRAS, sessionDir } from "./session.ts";

/**
 * What became of a reply. `pending`: not begun. `streaming`: being written. `done`: complete. `stale`: begun, and its writer
 * died or has not touched it for `staleMs`.
 */
export type ReplyState = "pending" | "streaming" | "done" | "stale";

/** Options of {@linkcode replyState}. */
export interface ReplyStateOptions extends HostOption {
  /** File name in the outbox. @default `{promptId}.md` */
  readonly name?: string;
  /** How long a reply of a writer that says nothing about itself (the Python peer) may stand still. @default {60000} */
  readonly staleMs?: number;
}

/**
 * Tells what became of a reply. Only reads, and only the end of the file.
 *
 * Needs `--allow-read` for `dir`. With all permissions it sees at once that a writer on the same machine died; otherwise
 * that takes a minute.
 *
 * @param dir The root.
 * @throws {DeadDropError} `bad-input` for an unsafe id; `system` when the reply cannot be read.
 *
 * @example
 * ```ts
 * import { dropPrompt, replyState } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "anybody there?");
 * console.log(await replyState(root, "lab", id)); // "pending"
 * ```
 */
export async function replyState(
  dir: Dir,
  sessionId: string,
  promptId: string,
  options: ReplyStateOptions = {},
): Promise<ReplyState> {
  const { host = denoHost, staleMs = STALE_MS } = options;
  const root = pathOf(dir);
  const name = replyName(promptId, options.name);
  const outbox = await sessionDir(host, root, sessionId, "outbox");
  const path = join(outbox, name);
  let found: Awaited<ReturnType<typeof replyEnd>>;
  try {
    found = await replyEnd(host, path);
  } catch (error) {
    throw cannot(`read the reply ${quote(name)} in`, outbox, error);
  }
  if (found === null) return "pending";
  if (found.end === "complete") return "done";
  const lease = await leaseState(host, await sessionDir(host, root, sessionId, EXTRAS), replyLease(name));
  if (lease === "held") return "streaming";
  if (lease === "expired") return "stale";
  if (!await isOlder(host, found.info, staleMs, null)) return "streaming";
  return found.end === "almost" ? "done" : "stale";
}
