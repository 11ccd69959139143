/** What the scripted agent does with input and with what it is told. Time, log and screen are handed in. */
import { Editor } from "./editor.ts";
import { type Input, InputReader } from "./input.ts";
import { choose, type Menu } from "./menus.ts";
import { GREY } from "./paint.ts";
import { type Action, type Behaviour, DEFAULT_BEHAVIOUR, type Happening, type Moment, type Step } from "./script.ts";
import { type Line, said, type View } from "./view.ts";

/** What an agent reaches outside. */
export interface Outside {
  now(): number;
  after(ms: number, then: () => void): void;
  log(happening: Happening): void;
  /** Something that is on the screen has changed. */
  changed(): void;
  /** Writes a turn to the session file. */
  receipt(text: string): void;
  /** Ends the process. */
  end(how: "exit" | "crash"): void;
}

/** Oldest lines of the transcript go first; no screen shows more. */
const MAX_TRANSCRIPT = 200;

/** A command, not a path: `/word` alone or before a blank. */
const COMMAND = /^\/[a-z-]+(?:\s|$)/;

/** Text that ends in a mention opens a menu of files, which takes the Enter. */
const MENTION = /(?:^|\s)@\S*$/;

/** The agent. */
export class Agent {
  behaviour: Behaviour = DEFAULT_BEHAVIOUR;
  readonly #outside: Outside;
  readonly #reader = new InputReader();
  readonly #editor = new Editor();
  #transcript: Line[] = [];
  #menu: Menu | null = null;
  #help = false;
  #exiting = false;
  #waiting: Step[] = [];
  #queue: { text: string; shown: string }[] = [];
  #turn: { readonly startedAt: number } | null = null;
  #textAt = -Infinity;
  #cutOff = false;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  /** What the screen depends on. */
  view(columns: number, rows: number, cwd: string): View {
    const busyMs = this.#turn === null ? null : this.#outside.now() - this.#turn.startedAt;
    const common = { columns, rows, cwd, busyMs, transcript: this.#transcript, editor: this.#editor };
    return { ...common, ghost: this.behaviour.ghost, menu: this.#menu, exiting: this.#exiting, help: this.#help };
  }

  /** Takes what a read brought. */
  read(bytes: Uint8Array) {
    this.#outside.log({ event: "bytes", hex: bytes.toHex() });
    let last: Input | undefined;
    for (const input of this.#reader.read(bytes)) {
      if (input.kind === "text" && last === undefined && this.#cutOff) this.#editor.undo();
      this.#take(last = input);
    }
    this.#cutOff = bytes.length >= this.behaviour.readBytes && last?.kind === "text";
    if (this.#reader.undecided) this.#outside.after(20, () => this.#reader.flush().forEach((key) => this.#take(key)));
  }

  /** Takes a line of the script. */
  tell(step: Step) {
    this.#outside.log({ event: "told", step });
    if (step.on === undefined) this.#soon(step);
    else this.#waiting.push(step);
  }

  #soon(step: Step) {
    if (step.afterMs === undefined) this.#do(step);
    else this.#outside.after(step.afterMs, () => this.#do(step));
  }

  #moment(moment: Moment) {
    const due = this.#waiting.filter(({ on }) => on === moment);
    this.#waiting = this.#waiting.filter(({ on }) => on !== moment);
    due.forEach((step) => this.#soon(step));
  }

  #do(step: Step) {
    const { log, changed, end } = this.#outside;
    // Said first: after some actions there is nobody left to say it.
    log({ event: "did", step });
    const action: Action = step;
    switch (action.do) {
      case "set":
        this.behaviour = { ...this.behaviour, ...action.behaviour };
        if (this.behaviour.vim !== (this.#editor.vim !== "off")) {
          this.#editor.vim = this.behaviour.vim ? "insert" : "off";
        }
        break;
      case "show":
        this.#menu = { name: action.menu, selected: 1 };
        break;
      case "close":
        this.#menu = null;
        break;
      case "say":
        this.#write(action.text.split("\n").map((text) => ({ style: "", text })));
        break;
      case "work":
        this.#begin();
        break;
      case "end-turn":
        this.#finish(this.#turn);
        break;
      case "exit":
      case "crash":
        end(action.do);
    }
    changed();
  }

  #take(input: Input) {
    // What the script does at an Enter is there before the Enter is.
    if (input.kind === "key" && input.name === "enter") this.#moment("enter");
    if (this.#choose(input)) return this.#outside.changed();
    this.#exiting &&= input.kind === "key" && input.name === "ctrl-c";
    if (input.kind === "key") this.#key(input.name);
    else {
      const asksHelp = input.text === "?" && this.#editor.empty && this.#editor.vim !== "normal";
      this.#help = asksHelp && !this.#help;
      if (!asksHelp) this.#put(input.kind, input.text);
    }
    this.#outside.changed();
  }

  /** True when an open dialog took the input. */
  #choose(input: Input): boolean {
    const taken = this.#menu === null ? null : choose(this.#menu, input, this.#editor.empty);
    if (taken === null) return false;
    if (taken !== "moved") this.#outside.log(taken);
    if (taken !== "moved" && taken.event !== "swallowed") this.#menu = null;
    return true;
  }

  #put(kind: "paste" | "text", text: string) {
    if (kind === "paste") this.#editor.paste(text);
    else this.#editor.type(text);
    this.#textAt = this.#outside.now();
    this.#moment(kind);
  }

  #key(name: string) {
    if (name === "enter") this.#enter();
    else if (name === "ctrl-c") this.#interrupt();
    else if (name === "escape" && this.#editor.vim !== "insert" && this.#turn !== null) {
      this.#outside.log({ event: "interrupted" });
      this.#finish(this.#turn, "Interrupted · What should Claude do instead?");
    } else this.#editor.key(name);
  }

  #interrupt() {
    if (!this.#editor.empty) this.#editor.clear();
    else if (this.#exiting) this.#outside.end("exit");
    else this.#exiting = true;
  }

  #enter() {
    const { log, now } = this.#outside;
    const { text, content, shell, empty } = this.#editor;
    if (this.behaviour.dropEnters) return log({ event: "enter-dropped", why: "every" });
    if (now() - this.#textAt < this.behaviour.enterGapMs) return log({ event: "enter-dropped", why: "gap" });
    if (empty) return;
    if (text.endsWith("\\")) {
      this.#editor.key("end");
      this.#editor.key("backspace");
      return void this.#editor.key("newline");
    }
    if (MENTION.test(text)) {
      this.#editor.key("end");
      this.#editor.type(" ");
      return log({ event: "completed", text: this.#editor.text });
    }
    this.#editor.clear();
    if (content === "") return;
    if (!shell && COMMAND.test(content)) {
      log({ event: "command", text: content });
      return /^\/exit\b/.test(content) ? this.#outside.end("exit") : undefined;
    }
    if (shell) {
      log({ event: "shell", text: content });
      return this.#write(said(text, true));
    }
    if (this.#turn === null) return this.#begin(content, text);
    this.#queue.push({ text: content, shown: text });
    log({ event: "queued", text: content });
  }

  /** Begins a turn; with a message, that one was submitted. */
  #begin(text?: string, shown = "") {
    const turn = { startedAt: this.#outside.now() };
    this.#turn = turn;
    if (text !== undefined) {
      this.#write(said(shown));
      if (this.behaviour.receipts) this.#outside.receipt(text);
      this.#outside.log({ event: "turn", text });
    }
    this.#moment("turn");
    if (this.behaviour.turnMs !== null) this.#outside.after(this.behaviour.turnMs, () => this.#finish(turn));
  }

  /** Ends this turn, if it still runs. */
  #finish(turn: { readonly startedAt: number } | null, interrupted?: string) {
    if (turn === null || turn !== this.#turn) return;
    const seconds = Math.floor((this.#outside.now() - turn.startedAt) / 1000);
    if (interrupted === undefined) this.#write([{ style: "", text: `● ${this.behaviour.answer}` }]);
    this.#write([{ style: GREY, text: interrupted ?? `✻ Cooked for ${seconds}s` }]);
    this.#turn = null;
    this.#outside.log({ event: "turn-end" });
    this.#moment("turn-end");
    const next = this.#queue.shift();
    if (next !== undefined) this.#begin(next.text, next.shown);
    this.#outside.changed();
  }

  #write(lines: readonly Line[]) {
    const gap = this.#transcript.length > 0 ? [{ style: "", text: "" }] : [];
    this.#transcript = [...this.#transcript, ...gap, ...lines].slice(-MAX_TRANSCRIPT);
  }
}
