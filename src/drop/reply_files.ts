import type { Host } from "./host.ts";
import { isAlmostComplete, isComplete, TAIL_BYTES } from "./marker.ts";
import { checkName } from "./names.ts";
import { lstatOrNull } from "./paths.ts";
import { readUpTo, statSame } from "./read.ts";

/** Where a reply and what belongs to it lie. */

/** A reply that nobody touched for this long, and whose writer is not known to live, counts as abandoned (60 s). */
export const STALE_MS = 60_000;

/** File name of the reply to a prompt. */
export function replyName(promptId: string, name?: string): string {
  return checkName(name ?? `${checkName(promptId, "prompt id")}.md`, "reply name");
}

/** The lease that says a prompt was handed out. */
export function promptLease(promptId: string): string {
  return `prompt-${promptId}.lease`;
}

/** The lease that says a reply is being written. */
export function replyLease(reply: string): string {
  return `reply-${reply}.lease`;
}

/** The reply's file name in the name of its lease, or `undefined` for another entry. */
export function replyOfLease(entry: string): string | undefined {
  return /^reply-(.+)\.lease$/s.exec(entry)?.[1];
}

/** How a reply's file ends: in the marker line, in a marker that lacks its line end, or otherwise. */
export type ReplyEnd = "complete" | "almost" | "open";

/** Looks at the end of the regular file `path`; `null` when it is not there. */
export async function replyEnd(host: Host, path: string): Promise<{ end: ReplyEnd; info: Deno.FileInfo } | null> {
  if (!(await lstatOrNull(host, path))?.isFile) return null; // opening a pipe would wait for its other end
  using file = await host.fs.open(path, { read: true }).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  });
  if (file === null) return null;
  const info = await statSame(host, file, path);
  if (info === undefined) return null;
  const start = Math.max(0, info.size - TAIL_BYTES);
  await file.seek(start, Deno.SeekMode.Start);
  const tail = new TextDecoder().decode(await readUpTo(file, TAIL_BYTES));
  const whole = start === 0;
  return { end: isComplete(tail, whole) ? "complete" : isAlmostComplete(tail, whole) ? "almost" : "open", info };
}

/** True when a reply is finished. */
export async function isReplyDone(host: Host, path: string): Promise<boolean> {
  return (await replyEnd(host, path))?.end === "complete";
}
