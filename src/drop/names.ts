import { DeadDropError } from "./error.ts";

/**
 * One grammar for every name that becomes a path segment: session ids, prompt ids, drop names, file names in a bundle.
 * It is what all of Linux, macOS, Windows and the sync tools can hold unchanged, so that a name means the same file on
 * both sides.
 */

/** Longest name in UTF-8 bytes: file systems hold 255, and claims, leases and temporary names add up to 40. */
export const MAX_NAME_BYTES = 200;

// deno-lint-ignore no-control-regex -- control characters are exactly what is refused
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd/\\:*?"<>|]/u;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const encoder = new TextEncoder();

/** Why `name` cannot be a path segment, as the end of a sentence, or `undefined` when it can. */
function objection(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (!name.isWellFormed()) return "it holds half of a surrogate pair, which no file name can";
  if (encoder.encode(name).length > MAX_NAME_BYTES) return `it is longer than ${MAX_NAME_BYTES} bytes`;
  if (name.startsWith(".")) return "it starts with a dot, so every reader would skip it";
  const bad = FORBIDDEN.exec(name)?.[0];
  if (bad !== undefined) return `it contains ${JSON.stringify(bad)}`;
  if (/^\s|[\s.]$/u.test(name)) return "it starts or ends with a blank or ends with a dot";
  if (WINDOWS_DEVICE.test(name)) return "Windows reserves it for a device";
}

/** True when `name` is one safe path segment. */
export function isName(name: string): boolean {
  return objection(name) === undefined;
}

/** A value from outside, quoted and cut so that it cannot flood or forge a message. */
export function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}

/**
 * Returns `name` when it is one safe path segment.
 *
 * @param name What came from outside.
 * @param what What it stands for, as the message calls it: `"session id"`.
 * @throws {DeadDropError} `bad-input`, naming the value, the reason and what is allowed.
 */
export function checkName(name: string, what: string): string {
  const why = typeof name === "string" ? objection(name) : "it is not a string";
  if (why === undefined) return name;
  throw new DeadDropError(
    "bad-input",
    `Cannot use ${quote(String(name))} as a ${what}: ${why}; use one path segment such as "notes-1.md"`,
  );
}

/** What a name tells about the program that left it there. */
export type Leftover =
  /** A file still being written or downloaded. */
  | "partial"
  /** The losing side of a sync conflict. */
  | "conflict"
  /** A numbered copy (`x 2.md`, `x (1).md`) as desktops and cloud drives make them. */
  | "copy"
  /** A folder setting or placeholder of the system. */
  | "system";

const LEFTOVERS: readonly (readonly [Leftover, RegExp])[] = [
  // Syncthing, Dropbox and Nextcloud, ownCloud, OneDrive (host name at the end), Resilio
  ["conflict", /\.sync-conflict-\d{8}-\d{6}|[ (_-]conflicted copy|\(conflict(?:ed)?\b|_conflict-\d|\.conflict\b/i],
  ["conflict", /-(?:DESKTOP|LAPTOP)-[A-Z0-9]{5,}(?:-\d+)?(?:\.[^.]*)?$/],
  ["partial", /\.(?:tmp|temp|part|partial|filepart|crdownload|download|swp|swo|swx|!sync|bts|~tmp)$/i],
  ["partial", /^~syncthing~|^~\$|~$|^#.*#$|\.tmp-[0-9a-f]+$/i],
  ["system", /^(?:Thumbs\.db|desktop\.ini|Icon\r?|ehthumbs\.db)$|\.icloud$/i],
  ["copy", / \(\d+\)(?:\.[^.]*)?$| \d{1,2}(?:\.[^.]*)?$/],
];

/**
 * Tells which sync tool or desktop habit made `name`, or `undefined` for an ordinary name.
 *
 * Such files are never messages. Hidden leftovers (`.syncthing.x.tmp`, `.nfs…`) need no rule: a leading dot hides them.
 */
export function leftoverOf(name: string): Leftover | undefined {
  return LEFTOVERS.find(([, pattern]) => pattern.test(name))?.[0];
}

/** The note about the machine; at a root it is never a message. */
export const MACHINE_INFO = "MACHINE_INFO.md";

/** True when a visible entry of this name may be a message: one safe segment that nobody's tool left behind. */
export function isMessageName(name: string): boolean {
  return isName(name) && name !== MACHINE_INFO && leftoverOf(name) === undefined;
}

/**
 * Returns `name` when a message may have it; what {@linkcode checkName} refuses, and what no reader would pick up.
 *
 * @throws {DeadDropError} `bad-input`
 */
export function checkMessageName(name: string, what: string): string {
  checkName(name, what);
  if (isMessageName(name)) return name;
  const why = name === MACHINE_INFO ? "that is the note about the machine" : "sync tools leave names like it behind";
  throw new DeadDropError(
    "bad-input",
    `Cannot use ${quote(name)} as a ${what}: ${why}, so no reader would pick it up; choose another name`,
  );
}
