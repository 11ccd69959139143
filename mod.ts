/**
 * deaddrop: prompts and replies as plain files in a directory that both sides can see.
 *
 * The asking side: {@linkcode listSessions}, {@linkcode dropPrompt}, {@linkcode followReply}. The answering side:
 * {@linkcode awaitPrompt}, {@linkcode replyStream}. Below them: {@linkcode drop}, {@linkcode pickup}, {@linkcode watch} for
 * single messages, and {@linkcode nextPrompt} for a file that somebody types into.
 *
 * Needs nothing but Deno; import it from any URL.
 *
 * @example
 * ```ts
 * import { awaitPrompt, dropPrompt, followReply, replyStream } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * const id = await dropPrompt(root, "lab", "is CI green?");
 *
 * const prompt = await awaitPrompt(root, { sessionId: "lab" }); // usually in another process, on another machine
 * const answering = replyStream(root, "lab", prompt.id, (w) => w.write("yes"));
 *
 * for await (const text of followReply(root, "lab", id)) console.log(text); // "yes"
 * await answering;
 * ```
 *
 * @module
 */
export type { StreamWriter } from "./src/drop/append.ts";
export type { WriteOptions } from "./src/drop/atomic.ts";
export { awaitPrompt, type Prompt, prompts, type PromptsOptions } from "./src/drop/await_prompt.ts";
export { dropBundle, type DropBundleOptions, type Files } from "./src/drop/bundle.ts";
export type { WaitOptions } from "./src/drop/change.ts";
export type { ConsumeOptions } from "./src/drop/consume.ts";
export { type Drop, drop, type DropOptions, pickup, type TakeOptions } from "./src/drop/drop.ts";
export { DeadDropError, type DeadDropErrorCode } from "./src/drop/error.ts";
export { followFile, type FollowOptions, followReply, type FollowReplyOptions } from "./src/drop/follow.ts";
export { type Clock, denoHost, type Fs, type Host, type HostOption } from "./src/drop/host.ts";
export { ensureMachineInfo, type MachineInfo, machineInfo } from "./src/drop/machine_info.ts";
export { DONE_MARKER } from "./src/drop/marker.ts";
export { nextPrompt, type NextPromptOptions } from "./src/drop/next_prompt.ts";
export type { Dir } from "./src/drop/paths.ts";
export { dropPrompt, pendingPrompts, readPrompt } from "./src/drop/prompt.ts";
export type { Skipped } from "./src/drop/read.ts";
export { readBundle, type ReadFiles } from "./src/drop/read_bundle.ts";
export { type ReplyOptions, replyStream, replyWritable } from "./src/drop/reply.ts";
export { type ReplyState, replyState, type ReplyStateOptions } from "./src/drop/reply_state.ts";
export { stream, type StreamOptions } from "./src/drop/stream.ts";
export {
  defaultRoot,
  type LegacyPrompt,
  respondPrompt,
  type RespondPromptOptions,
  watchPrompts,
  type WatchPromptsOptions,
} from "./src/drop/responder.ts";
export {
  listSessions,
  type ListSessionsOptions,
  sessionId,
  type SessionInfo,
  sessionInfo,
} from "./src/drop/session.ts";
export { drops, type DropsOptions, type SessionDrop, watch, type WatchOptions } from "./src/drop/watch.ts";
