/**
 * The in-band end of a reply. A complete file is the text, then `\n---DONE---\n`. Both directions are pure: the writer's
 * side decides what may be on disk yet, the reader's side what may be shown yet.
 */

/** The last line of a complete reply. */
export const DONE_MARKER = "---DONE---";

/** What a writer appends on a normal end. */
export const DONE_TAIL = `\n${DONE_MARKER}\n`;

const BOM = "\ufeff";

/** White space as Python's `str.rstrip` sees it, which is a little more than JavaScript's. */
// deno-lint-ignore no-control-regex -- Python counts four control characters as white space
const SPACE = /[\s\u001c-\u001f\u0085]/u;

/** `text` without the white space at its end; a loop, since a pattern tries every run of blanks in the text. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && SPACE.test(text[end - 1])) end--;
  return text.slice(0, end);
}

/**
 * Where to cut `text` so that what stays does not end, white space aside, in the marker: a reader who samples the file
 * there (the peer's stops at any text ending in the marker) must not take it for the end.
 */
function safeLength(text: string): number {
  let cut = text.length;
  let end = trimEnd(text);
  while (end.endsWith(DONE_MARKER)) {
    cut = end.length - DONE_MARKER.length;
    end = trimEnd(end.slice(0, cut));
  }
  return cut;
}

/**
 * The writer's side: takes text in any pieces, returns what may go to the disk now, and holds back a tail that would look
 * like the end (or half a surrogate pair) until more text or the real end follows.
 */
export class MarkerGuard {
  #held = "";
  /** The last characters on disk: a marker may begin there and end in the next piece. */
  #tail = "";
  #started = false;

  /** Adds `chunk`; returns the text that is safe to append to the file, perhaps empty. */
  push(chunk: string): string {
    if (chunk === "") return "";
    // Readers drop one byte order mark at the start of a file, so one that is part of the text is written twice.
    if (!this.#started && chunk.startsWith(BOM)) chunk = BOM + chunk;
    this.#started = true;
    this.#held += chunk;
    const context = this.#tail.length;
    const text = this.#tail + this.#held;
    let cut = Math.max(context, safeLength(text));
    if (/[\ud800-\udbff]/.test(text[cut - 1] ?? "") && cut > context) cut--;
    const out = text.slice(context, cut);
    this.#held = text.slice(cut);
    this.#tail = text.slice(0, cut).slice(-(DONE_MARKER.length - 1));
    return out;
  }

  /** What is still held back, followed by the end of the reply; to be appended in one write. */
  end(): string {
    return this.#held + DONE_TAIL;
  }
}

/**
 * Ends of a complete file, longest first. Tools that write `\r\n` do so on both lines; a `\r` before our own ending belongs
 * to the text.
 */
const ENDINGS = [`\r\n${DONE_MARKER}\r\n`, `\n${DONE_MARKER}\r\n`, DONE_TAIL] as const;

/** Ends of a file that is nothing but the marker line, as somebody may write by hand. */
const BARE_ENDINGS = [`${DONE_MARKER}\r\n`, `${DONE_MARKER}\n`] as const;

/** Bytes at the end of a file that are enough to tell whether it is complete. */
export const TAIL_BYTES = ENDINGS[0].length;

/** Length of the ending of `text`, or 0. `whole` says that `text` starts where the file starts. */
function endingLength(text: string, whole: boolean): number {
  if (whole && BARE_ENDINGS.some((ending) => ending === text)) return text.length;
  return ENDINGS.find((ending) => text.endsWith(ending))?.length ?? 0;
}

/** Length of the longest end of `text` that may still become an ending, or 0. */
function openingLength(text: string, whole: boolean): number {
  if (whole && BARE_ENDINGS.some((ending) => ending.startsWith(text))) return text.length;
  for (let length = Math.min(text.length, TAIL_BYTES); length > 0; length--) {
    const end = text.slice(-length);
    if (ENDINGS.some((ending) => ending.startsWith(end))) return length;
  }
  return 0;
}

/** True when a file whose last characters are `tail` is complete: the marker is its last line, and nothing follows it. */
export function isComplete(tail: string, whole: boolean): boolean {
  return endingLength(tail, whole) > 0;
}

/** True when `tail` is a marker line that lacks only its line end, as a hand-written or trimmed file leaves it. */
export function isAlmostComplete(tail: string, whole: boolean): boolean {
  return tail.endsWith(`\n${DONE_MARKER}`) || (whole && tail === DONE_MARKER);
}

/**
 * The reader's side: takes decoded text in any pieces, returns what is certainly part of the reply, and holds back what
 * may turn out to be the end.
 */
export class MarkerReader {
  #held = "";
  /** Nothing was shown yet, so what is held starts where the file starts. */
  #atStart = true;

  /** Adds `chunk`; returns text to show, perhaps empty. */
  push(chunk: string): string {
    const text = this.#held + chunk;
    const keep = endingLength(text, this.#atStart) || openingLength(text, this.#atStart);
    const shown = text.slice(0, text.length - keep);
    this.#held = text.slice(text.length - keep);
    if (shown !== "") this.#atStart = false;
    return shown;
  }

  /** True when everything read so far ends in the marker line: if the file ends here, the reply is complete. */
  get complete(): boolean {
    return isComplete(this.#held, this.#atStart);
  }

  /** True when only the line end after the marker is missing. */
  get almostComplete(): boolean {
    return isAlmostComplete(this.#held, this.#atStart);
  }
}
