/** What a scripted agent is told and what it says: one JSON object on each line of two files. */

/** How the agent behaves from now on. */
export interface Behaviour {
  /** Suggested text in the empty composer, which nobody typed; empty for none. */
  readonly ghost: string;
  /** How long a turn takes, in milliseconds; `null`: until it is told `end-turn`. */
  readonly turnMs: number | null;
  /** What it answers. */
  readonly answer: string;
  /** How late the screen follows, in milliseconds. */
  readonly redrawMs: number;
  /** An Enter that comes sooner than this after text is dropped, in milliseconds (ENTER-01). */
  readonly enterGapMs: number;
  /** Every Enter is dropped. */
  readonly dropEnters: boolean;
  /** Reads at most so many bytes at once, and text without brackets that fills a read replaces what came before (LONG-02). */
  readonly readBytes: number;
  /** `i` types, `Escape` goes back to commands. */
  readonly vim: boolean;
  /** Each turn is written to a session file as Claude Code does. */
  readonly receipts: boolean;
}

/** What holds until it is told otherwise. */
export const DEFAULT_BEHAVIOUR: Behaviour = {
  ghost: "",
  turnMs: 0,
  answer: "Done: acknowledged.",
  redrawMs: 0,
  enterGapMs: 0,
  dropEnters: false,
  readBytes: 65_536,
  vim: false,
  receipts: false,
};

/** Dialogs that it can open. */
export type MenuName = "permission" | "question" | "survey";

/** Something that it does when told. */
export type Action =
  | { readonly do: "set"; readonly behaviour: Partial<Behaviour> }
  /** Opens a dialog; `close` takes it away again. */
  | { readonly do: "show"; readonly menu: MenuName }
  | { readonly do: "close" }
  /** Writes to the transcript. */
  | { readonly do: "say"; readonly text: string }
  /** Begins a turn that nobody asked for; `end-turn` ends whichever runs. */
  | { readonly do: "work" }
  | { readonly do: "end-turn" }
  /** Ends as a person would end it, or as `kill -9` does: with its screen left behind. */
  | { readonly do: "exit" }
  | { readonly do: "crash" };

/** When an action waits for something: text or a paste was put in, an Enter is about to be taken, a turn began or ended. */
export type Moment = "text" | "paste" | "enter" | "turn" | "turn-end";

/** A line of the script: at once, or once when the moment comes, and `afterMs` later. */
export type Step = Action & { readonly on?: Moment; readonly afterMs?: number };

/** What happened. */
export type Happening =
  | { readonly event: "ready"; readonly pid: number }
  /** What a read brought, in hexadecimal. */
  | { readonly event: "bytes"; readonly hex: string }
  /** A line of the script was read; `did`: an action was carried out. */
  | { readonly event: "told" | "did"; readonly step: Step }
  | { readonly event: "turn" | "queued" | "shell" | "command" | "completed"; readonly text: string }
  | { readonly event: "turn-end" | "interrupted" | "exit" }
  | { readonly event: "enter-dropped"; readonly why: "gap" | "every" }
  /** `answer`: the number of the entry; `dismissed`: by Escape. */
  | { readonly event: "answered"; readonly menu: MenuName; readonly answer: number }
  | { readonly event: "dismissed"; readonly menu: MenuName }
  /** A key that a dialog took and did nothing with. */
  | { readonly event: "swallowed"; readonly menu: MenuName; readonly text: string };

/** A line of the log. */
export type LogEntry = Happening & { readonly atMs: number };

/** Log entries of one event. */
export type Entry<Event, L = LogEntry> = L extends { readonly event: infer E } ? Event extends E ? L : never : never;
