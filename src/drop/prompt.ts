import type { WriteOptions } from "./atomic.ts";
import { dropBundle, type Files } from "./bundle.ts";
import { DeadDropError } from "./error.ts";
import { denoHost, type Host, type HostOption } from "./host.ts";
import { leaseState } from "./lease.ts";
import { checkName, isName, leftoverOf } from "./names.ts";
import { baseOf, type Dir, inside, join, list, listOrEmpty, pathOf } from "./paths.ts";
import { bundleState, readBundle, type ReadFiles } from "./read_bundle.ts";
import { isReplyDone, replyOfLease } from "./reply_files.ts";
import { EXTRAS, sessionDir, sessionId as ownSessionId } from "./session.ts";

/**
 * Prompts: bundles in a session's `inbox/`, answered by a file in its `outbox/`. Nothing is moved or deleted; what is left
 * to do is a difference of two listings.
 */

/**
 * Leaves a prompt for a session.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @param dir The root.
 * @param sessionId Whom it is for; see `listSessions`.
 * @param files Contents by file name, or just the text, which becomes `prompt.md`.
 * @returns The prompt's id, which names its reply: see `followReply`.
 * @throws {DeadDropError} `bad-input` for an unsafe id or name; `system` when the disk refuses.
 *
 * @example
 * ```ts
 * import { dropPrompt, pendingPrompts } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "Hello, can you check the CI status?");
 * console.log(id.split("-")[1], await pendingPrompts(root, "lab")); // "helloc", [id]
 * ```
 */
export async function dropPrompt(
  dir: Dir,
  sessionId: string,
  files: Files | string,
  options: WriteOptions & HostOption = {},
): Promise<string> {
  const { host = denoHost } = options;
  const inbox = await sessionDir(host, pathOf(dir), sessionId, "inbox");
  const bundle = typeof files === "string" ? { "prompt.md": files } : files;
  return baseOf(await dropBundle(inbox, bundle, options));
}

/**
 * Reads a prompt without claiming, moving or deleting it.
 *
 * Needs `--allow-read` for `dir`.
 *
 * @param dir The root.
 * @throws {DeadDropError} `bad-input` for an unsafe id; `missing`, `arriving` as `readBundle`.
 *
 * @example
 * ```ts
 * import { dropPrompt, readPrompt } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", { "prompt.txt": "why?", "log.txt": "42" });
 * console.log(await readPrompt(root, "lab", id)); // { "log.txt": "42", "prompt.txt": "why?" }
 * ```
 */
export async function readPrompt(
  dir: Dir,
  sessionId: string,
  promptId: string,
  options: HostOption = {},
): Promise<ReadFiles> {
  const { host = denoHost } = options;
  const id = checkName(promptId, "prompt id");
  return await readBundle(await sessionDir(host, pathOf(dir), sessionId, "inbox", id), options);
}

/** A prompt that waits for an answer. */
export interface Pending {
  readonly id: string;
  /** A reply was begun and abandoned. */
  readonly abandoned: boolean;
}

/** Ids that an outbox answers: the peer takes the name without its last suffix. */
function answered(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

/**
 * Unanswered prompts of a session, arriving ones included, in order. Only reads unless `mayProbe`.
 *
 * @throws {DeadDropError} `missing` when there is no inbox.
 */
export async function unanswered(host: Host, root: string, id: string, mayProbe: boolean): Promise<Pending[]> {
  const home = await sessionDir(host, root, id);
  const asked = (await list(host, await inside(host, home, "inbox"))).filter((entry) => !entry.name.startsWith("."));
  if (asked.length === 0) return [];
  const outbox = await inside(host, home, "outbox");
  const extras = await inside(host, home, EXTRAS);
  const replies = new Set<string>();
  for (const { name, isFile } of await listOrEmpty(host, outbox)) {
    if (isFile && (name.endsWith(".md") || leftoverOf(name) === undefined)) replies.add(answered(name));
  }
  const abandoned = new Set<string>();
  for (const { name, isFile } of await listOrEmpty(host, extras)) {
    const reply = isFile ? replyOfLease(name) : undefined;
    if (reply === undefined || await leaseState(host, extras, name, mayProbe ? extras : null) !== "expired") continue;
    if (!await isReplyDone(host, join(outbox, reply))) abandoned.add(answered(reply));
  }
  const pending: Pending[] = [];
  for (const { name, isDirectory } of asked) {
    if (replies.has(name) && !abandoned.has(name)) continue; // first, since it is nearly always true
    if (!isDirectory || !isName(name) || leftoverOf(name) !== undefined) continue;
    pending.push({ id: name, abandoned: abandoned.has(name) });
  }
  return pending.sort((a, b) => a.id < b.id ? -1 : 1);
}

/**
 * The prompts of a session that still need an answer: no reply was begun, or one was begun and abandoned by a responder of
 * this library that died. A reply that is being written counts as an answer; `replyState` tells them apart.
 *
 * Costs two listings, whatever the history, and a look at each unanswered prompt.
 *
 * Needs `--allow-read` for `dir`.
 *
 * @param dir The root.
 * @param sessionId The session. @default this process's own id
 * @returns Prompt ids, sorted, which is their order in time. Bundles that are still arriving are left out.
 *
 * @example
 * ```ts
 * import { dropPrompt, pendingPrompts, replyStream } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "ping");
 * await replyStream(root, "lab", id, (w) => w.write("pong"));
 * console.log(await pendingPrompts(root, "lab")); // []
 * ```
 */
export async function pendingPrompts(
  dir: Dir,
  sessionId: string = ownSessionId(),
  options: HostOption = {},
): Promise<string[]> {
  const { host = denoHost } = options;
  const root = pathOf(dir);
  const ids: string[] = [];
  const pending = await unanswered(host, root, sessionId, false).catch((error) => {
    if (error instanceof DeadDropError && error.code === "missing") return []; // nobody ever asked or waited
    throw error;
  });
  for (const { id } of pending) {
    const path = await sessionDir(host, root, sessionId, "inbox", id);
    const state = await bundleState(host, path).catch((error) => {
      if (error instanceof DeadDropError) return "arriving"; // one that cannot be looked at hides no other; `doctor` names it
      throw error;
    });
    if (state !== "arriving") ids.push(id);
  }
  return ids;
}
