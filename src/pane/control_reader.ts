/**
 * The replies in the output of tmux's control mode. Each command is answered by a block between `%begin` and `%end` or
 * `%error` lines with the same three words behind them; everything else is news that nobody here needs.
 */

/** What a reader found. */
export type ControlEvent =
  /** A command of ours was answered, or refused with the words in `text`. */
  | { readonly kind: "block"; readonly ok: boolean; readonly text: string }
  /** The server lets us go. */
  | { readonly kind: "exit" }
  /** The blocks do not fit together: nothing that follows can be matched with its question. */
  | { readonly kind: "broken"; readonly line: string };

/** Flag of blocks that answer this client's own commands; others answer its first one, or hooks. */
const OWN = 1;

/** Cuts a stream of text into {@linkcode ControlEvent}s. */
export class ControlReader {
  #rest = "";
  #open: { words: string; own: boolean; lines: string[]; chars: number } | undefined;

  /** Characters that wait for the end of their line or block. */
  get held(): number {
    return this.#rest.length + (this.#open?.chars ?? 0);
  }

  /** Takes the next piece of the stream. */
  push(piece: string): ControlEvent[] {
    if (!piece.includes("\n")) {
      this.#rest += piece; // a line without end must not be searched anew with every piece
      return [];
    }
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop()!;
    return lines.map((line) => this.#line(line)).filter((event) => event !== null);
  }

  #line(line: string): ControlEvent | null {
    if (this.#open === undefined) return this.#outside(line);
    const { words, own, lines } = this.#open;
    this.#open.chars += line.length;
    const ok = line === `%end ${words}`;
    if (!ok && line !== `%error ${words}`) {
      lines.push(line); // a line of a screen, whatever it looks like
      return null;
    }
    this.#open = undefined;
    return own ? { kind: "block", ok, text: lines.map((each) => `${each}\n`).join("") } : null;
  }

  #outside(line: string): ControlEvent | null {
    const begin = line.match(/^%begin (\d+ \d+ (\d+))$/);
    if (begin !== null) this.#open = { words: begin[1], own: (Number(begin[2]) & OWN) !== 0, lines: [], chars: 0 };
    else if (/^%exit\b/.test(line)) return { kind: "exit" };
    else if (/^%(begin|end|error)\b/.test(line)) return { kind: "broken", line };
    return null;
  }
}
