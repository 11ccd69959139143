/**
 * What is typed for a message: its text without anything a terminal or an agent could take for a command, between a first
 * and a last word that bear the delivery's id. The first word keeps a leading `/ ! # @ ? &` from meaning anything, the last
 * one a trailing `\`, `@word` or `/word`; both were measured with ten agents.
 */

/** Limits and the file for text that is not typed itself. */
export interface EnvelopeOptions {
  /** Id of the delivery: at least eight of `0-9a-z`, never used twice. */
  readonly deliveryId: string;
  /** Most bytes that are typed, both words included. @default {4000} */
  readonly maxBytes?: number;
  /** Most lines that are typed. @default {40} */
  readonly maxLines?: number;
  /** Path, as the agent will read it, of a file that the caller writes when the text goes by file. */
  readonly file?: string;
}

/** Why there is nothing to type. */
export type RefusedEnvelope = "empty" | "too-large" | "needs-file" | "bad-file";

/** What to type; `by-file`: one line that names the file, after `fileContent` was written to it. */
export type Envelope =
  | { readonly kind: "inline"; readonly text: string }
  | { readonly kind: "by-file"; readonly text: string; readonly fileContent: string }
  | { readonly kind: "refused"; readonly reason: RefusedEnvelope; readonly message: string };

/** Larger text is refused: no agent has been seen to take more in one turn, and somebody has to hold it in memory. */
export const MAX_TEXT_BYTES = 1 << 20;

/** Stays below the 4,095 bytes that a terminal keeps of a line when the program is not in raw mode. */
const MAX_INLINE_BYTES = 4000;

/** Agents show more lines as a mark in their place, and some then change the line ends. */
const MAX_INLINE_LINES = 40;

/** Names more than this are no paths that an agent can read back from its screen. */
const MAX_PATH_BYTES = 1024;

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** The first and the last word of what is typed for a delivery. */
export function envelopeMarks(deliveryId: string): { readonly first: string; readonly last: string } {
  return { first: `[deaddrop ${deliveryId}]`, last: `[end ${deliveryId}]` };
}

/**
 * Text without bytes that steer a terminal: line ends become LF, a tab four blanks; other control characters (ESC, C0, DEL, C1) go,
 * and with them the end of any bracketed paste; NFC, because agents apply it anyway; no blanks around it, because they trim.
 *
 * @param text Any text.
 *
 * @example
 * ```ts
 * import { neutralise } from "./envelope.ts";
 * console.log(neutralise("a\r\n\x1b[201~b ")); // "a\n[201~b"
 * ```
 */
export function neutralise(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replaceAll("\t", "    ")
    // deno-lint-ignore no-control-regex -- these are the characters to remove
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, "").normalize("NFC").trim();
}

/**
 * What to type for a message. Pure; it writes no file.
 *
 * Long or many-lined text goes by file, and so does text that holds the delivery's own id: where the id stands on a screen or in
 * a session file, it was put there by this delivery and by nothing else.
 *
 * @param text The message.
 * @param options Its id, the limits, the file.
 * @throws {TypeError} when the delivery id is not at least eight of `0-9a-z`.
 *
 * @example
 * ```ts
 * import { makeEnvelope } from "./envelope.ts";
 * const envelope = makeEnvelope("!ls @README", { deliveryId: "7f3a19c2" });
 * if (envelope.kind === "inline") console.log(envelope.text); // [deaddrop 7f3a19c2] !ls @README [end 7f3a19c2]
 * ```
 */
export function makeEnvelope(text: string, options: EnvelopeOptions): Envelope {
  const { deliveryId, maxBytes = MAX_INLINE_BYTES, maxLines = MAX_INLINE_LINES, file } = options;
  if (!/^[0-9a-z]{8,64}$/.test(deliveryId)) {
    throw new TypeError(`Cannot use ${JSON.stringify(deliveryId)} as a delivery id: it takes 8 to 64 of 0-9a-z`);
  }
  // Before the text is worked on, so that the work has a bound.
  if (text.length > MAX_TEXT_BYTES) return tooLarge(text);
  const content = neutralise(text);
  if (content === "") {
    return refused("empty", "Cannot deliver the message: nothing is left of it without blanks and control characters.");
  }
  if (bytesOf(content) > MAX_TEXT_BYTES) return tooLarge(content);
  const { first, last } = envelopeMarks(deliveryId);
  const inline = `${first} ${content} ${last}`;
  const lines = content.split("\n").length;
  if (bytesOf(inline) <= maxBytes && lines <= maxLines && !content.includes(deliveryId)) {
    return { kind: "inline", text: inline };
  }
  const why = content.includes(deliveryId)
    ? "the message holds the delivery's own id"
    : `the message has ${
      bytesOf(content)
    } bytes in ${lines} lines, and ${maxBytes} bytes in ${maxLines} lines can be typed`;
  if (file === undefined) return refused("needs-file", `Cannot type the message: ${why}; give it a file.`);
  if (file === "" || neutralise(file) !== file || /["\n]/.test(file) || bytesOf(file) > MAX_PATH_BYTES) {
    const name = JSON.stringify(file.slice(0, MAX_PATH_BYTES));
    return refused(
      "bad-file",
      `Cannot name ${name} to an agent: take a shorter path without quotes and control characters.`,
    );
  }
  return {
    kind: "by-file",
    text: `${first} Read the file "${file}" and do what it says. ${last}`,
    fileContent: content,
  };
}

function tooLarge(text: string): Envelope {
  const said = `the message has ${bytesOf(text)} bytes, and ${MAX_TEXT_BYTES} is the most`;
  return refused("too-large", `Cannot deliver the message: ${said}; send a file, and its name in a message.`);
}

function refused(reason: RefusedEnvelope, message: string): Envelope {
  return { kind: "refused", reason, message };
}
