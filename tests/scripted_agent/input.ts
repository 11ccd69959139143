/** From a terminal's bytes to what a program in raw mode with bracketed paste makes of them. */

/** A paste, typed text, or a key: `enter`, `escape`, `up`, `ctrl-c`. */
export type Input =
  | { readonly kind: "paste" | "text"; readonly text: string }
  | { readonly kind: "key"; readonly name: string };

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

const SEQUENCES: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  "1~": "home",
  "4~": "end",
  "3~": "delete",
};

const CONTROLS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
};

/** Keeps what a read broke off: a character, a sequence, a paste. */
export class InputReader {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** An Escape may have been read that turns out to be a key when nothing follows. */
  get undecided(): boolean {
    return this.#rest === "\x1b";
  }

  /** What a read brought. */
  *read(bytes: Uint8Array): Generator<Input> {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    for (let input = this.#next(); input !== null; input = this.#next()) yield input;
  }

  /** Takes an undecided Escape for a key. */
  *flush(): Generator<Input> {
    if (!this.undecided) return;
    this.#rest = "";
    yield { kind: "key", name: "escape" };
  }

  #next(): Input | null {
    const rest = this.#rest;
    if (rest === "" || this.undecided) return null;
    if (rest.startsWith(PASTE_START)) {
      const end = rest.indexOf(PASTE_END, PASTE_START.length);
      if (end < 0) return null;
      return this.#take(end + PASTE_END.length, { kind: "paste", text: rest.slice(PASTE_START.length, end) });
    }
    if (rest[0] === "\x1b") {
      // deno-lint-ignore no-control-regex -- escape sequences begin with this character
      const sequence = rest.match(/^\x1b(?:\[|O)([0-9;?<]*[A-Za-z~])/);
      if (sequence !== null) {
        return this.#take(sequence[0].length, { kind: "key", name: SEQUENCES[sequence[1]] ?? sequence[1] });
      }
      // deno-lint-ignore no-control-regex -- as above
      return /^\x1b(?:\[|O)[0-9;?<]*$/.test(rest) ? null : this.#take(1, { kind: "key", name: "escape" });
    }
    // deno-lint-ignore no-control-regex -- a run of text ends before a control character
    const text = rest.match(/^[^\x00-\x1f\x7f]+/)?.[0];
    if (text !== undefined) return this.#take(text.length, { kind: "text", text });
    const name = CONTROLS[rest[0]] ?? `ctrl-${String.fromCharCode(rest.charCodeAt(0) + 0x60)}`;
    return this.#take(1, { kind: "key", name });
  }

  #take(length: number, input: Input): Input {
    this.#rest = this.#rest.slice(length);
    return input;
  }
}
