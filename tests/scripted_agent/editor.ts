/** The input box: text, a cursor in it, long pastes shown as a mark, and a little of vim. */

/** More than this of a paste is shown as a mark in its place. */
const SHOWN_LINES = 3;
const SHOWN_CHARS = 800;

/** An input box. */
export class Editor {
  text = "";
  /** Index in `text`. */
  cursor = 0;
  /** Text is run as a command. */
  shell = false;
  vim: "off" | "insert" | "normal" = "off";
  #pastes: string[] = [];
  #pending = "";
  #before: [string, number] = ["", 0];

  /** Nothing was typed. */
  get empty(): boolean {
    return this.text === "" && !this.shell;
  }

  /** What an Enter would send: the marks give way to their pastes. */
  get content(): string {
    return this.text.replace(/\[Pasted text #(\d+)(?: \+\d+ lines)?\]/g, (mark, n) => this.#pastes[n - 1] ?? mark)
      .trim();
  }

  /** Empties the box. */
  clear() {
    this.text = "";
    this.cursor = 0;
    this.shell = false;
  }

  /** A paste arrives whole, in whatever mode. */
  paste(text: string) {
    const clean = text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ");
    const lines = clean.split("\n").length;
    if (lines <= SHOWN_LINES && clean.length <= SHOWN_CHARS) return this.#insert(clean);
    this.#pastes.push(clean);
    this.#insert(`[Pasted text #${this.#pastes.length}${lines > 1 ? ` +${lines - 1} lines` : ""}]`);
  }

  /** Typed text: in vim's normal mode each character is a command. */
  type(text: string) {
    if (this.vim !== "normal") return this.#insert(text);
    const [first, ...rest] = text;
    this.#command(first);
    if (rest.length > 0) this.type(rest.join(""));
  }

  /** Takes back what was put in last. */
  undo() {
    [this.text, this.cursor] = this.#before;
  }

  /** An editing key; false when it is none. */
  key(name: string): boolean {
    const before = [...this.text.slice(0, this.cursor)];
    const after = [...this.text.slice(this.cursor)];
    if (name === "backspace" && before.length === 0) this.shell = false;
    else if (name === "backspace") this.#set(before.slice(0, -1), after);
    else if (name === "delete" || name === "ctrl-d") this.#set(before, after.slice(1));
    else if (name === "left") this.cursor -= before.at(-1)?.length ?? 0;
    else if (name === "right") this.cursor += after[0]?.length ?? 0;
    else if (name === "home" || name === "ctrl-a") this.cursor = 0;
    else if (name === "end" || name === "ctrl-e") this.cursor = this.text.length;
    else if (name === "ctrl-u") this.#set([], after);
    else if (name === "newline") this.#insert("\n");
    else if (name === "escape" && this.vim === "insert") this.vim = "normal";
    else return false;
    return true;
  }

  #insert(text: string) {
    this.#before = [this.text, this.cursor];
    if (this.empty && text[0] === "!") {
      this.shell = true;
      text = text.slice(1);
    }
    this.text = this.text.slice(0, this.cursor) + text + this.text.slice(this.cursor);
    this.cursor += text.length;
  }

  #set(before: readonly string[], after: readonly string[]) {
    this.text = [...before, ...after].join("");
    this.cursor = before.join("").length;
  }

  #command(character: string) {
    const command = this.#pending + character;
    this.#pending = "";
    if (command === "d") this.#pending = command;
    else if (command === "dd") this.clear();
    else if (command === "x") this.key("delete");
    else if (command === "h") this.key("left");
    else if (command === "l") this.key("right");
    else if (command === "0") this.key("home");
    else if (command === "$") this.key("end");
    else if (/^[iaAIo]$/.test(command)) {
      if (command === "a") this.key("right");
      if (/[Ao]/.test(command)) this.key("end");
      if (command === "I") this.key("home");
      this.vim = "insert";
      if (command === "o") this.#insert("\n");
    }
  }
}
