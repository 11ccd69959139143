import { type Host, randomHex } from "./host.ts";

/** Ids sort by creation: strictly increasing within a process even when the clock stands still or steps back. */

const lastDrop = new WeakMap<Host, bigint>();
const lastPrompt = new WeakMap<Host, number>();

/** A name for a drop: 19 digits of Unix nanoseconds, `-`, 8 hex digits, as the Python peer makes them. */
export function dropName(host: Host): string {
  const now = BigInt(Math.floor(host.clock.now() * 1000)) * 1000n;
  const last = lastDrop.get(host) ?? 0n;
  const stamp = now > last ? now : last + 1n;
  lastDrop.set(host, stamp);
  return `${String(stamp).padStart(19, "0")}-${randomHex(host, 4)}`;
}

/** The first six of `a-z0-9` in `text`, or `prompt` when there is none: lets `ls` show what an exchange is about. */
export function slugOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "").slice(0, 6) || "prompt";
}

/**
 * An id for a prompt: `{UTC yyyymmddThhmmssmmm}-{slug}-{6 hex}`.
 *
 * The peer's ids stop at the second and are local time; both sort together as text, a peer's before ours of its second.
 */
export function promptId(host: Host, text: string): string {
  const now = Math.floor(host.clock.now());
  const last = lastPrompt.get(host) ?? 0;
  const stamp = now > last ? now : last + 1;
  lastPrompt.set(host, stamp);
  const time = new Date(stamp).toISOString().replace(/[-:.Z]/g, "");
  return `${time}-${slugOf(text)}-${randomHex(host, 3)}`;
}
