import type { Answer } from "./answer.ts";
import type { PaneFacts } from "./facts.ts";

/** What the rest of this room asks of a terminal multiplexer. `tmux.ts` is the one that runs a real one. */

/** What a multiplexer can do. */
export interface Capabilities {
  readonly name: "tmux" | "psmux";
  /** One `%id` names one pane of the whole server. Where it does not, a pane is addressed by session, window and index. */
  readonly paneIdsGlobal: boolean;
  /** It can answer many questions over one connection. */
  readonly controlMode: boolean;
}

/** tmux since 3.2. */
export const TMUX: Capabilities = { name: "tmux", paneIdsGlobal: true, controlMode: true };

/** The multiplexer of that name on Windows: every session has its own `%1`. */
export const PSMUX: Capabilities = { name: "psmux", paneIdsGlobal: false, controlMode: false };

/** One life of a server: ids of panes mean something only within it. */
export interface ServerIdentity {
  readonly pid: number;
  /** Seconds since 1970, as the server says it. */
  readonly startTime: number;
}

/** Whether two identities are the same life of a server. */
export function sameServer(one: ServerIdentity, other: ServerIdentity): boolean {
  return one.pid === other.pid && one.startTime === other.startTime;
}

/** A pane as it is remembered: worthless once the server is another one. */
export interface PaneRef {
  /** What the multiplexer is told: `%3`, or `lab:0.1` where ids are not global. */
  readonly target: string;
  readonly server: ServerIdentity;
}

/** Where a pane is, to show to people and to compare names with. */
export interface PanePlace {
  readonly sessionId: string;
  readonly session: string;
  readonly windowIndex: number;
  readonly window: string;
  readonly paneIndex: number;
}

/** A pane in a listing. */
export interface ListedPane {
  readonly ref: PaneRef;
  /** Its places: one, or more where sessions share its window. */
  readonly places: readonly PanePlace[];
  readonly windowId: string;
  /** The cell that was stamped on it, or `null`. */
  readonly cell: string | null;
  /** Process that the pane was started with. */
  readonly pid: number;
  /** Name of the foreground command, as the multiplexer sees it. */
  readonly command: string;
  readonly title: string;
  /** Working directory of the foreground command. */
  readonly path: string;
  readonly dead: boolean;
}

/** A person's terminal attached to the server; clients that take no output, as ours, are not people. */
export interface ListedClient {
  readonly name: string;
  /** The window it shows. */
  readonly windowId: string;
  /** When its last key came, milliseconds since 1970 (the multiplexer counts whole seconds). */
  readonly lastKeyAtMs: number;
}

/** Everything on a server at one moment. */
export interface PaneList {
  readonly server: ServerIdentity;
  readonly version: string;
  readonly panes: readonly ListedPane[];
  readonly clients: readonly ListedClient[];
}

/** One pane at one moment: facts, cursor and screen belong together. */
export interface PaneLook {
  readonly ref: PaneRef;
  readonly pid: number;
  readonly facts: Omit<PaneFacts, "processes">;
  /** The rows of the screen with their styles (`capture-pane -p -e`), each ended by a line feed. */
  readonly ansi: string;
  /** When somebody who has this window on screen last pressed a key, milliseconds since 1970; `null` when nobody has. */
  readonly lastKeyAtMs: number | null;
}

/** The keys that can be sent. Text is never sent as keys. */
export const KEYS = ["Enter", "Escape"] as const;
/** One of {@linkcode KEYS}. */
export type Key = typeof KEYS[number];

/** Options of every call. */
export interface CallOptions {
  /** Milliseconds after which a call ends as `unknown`. @default {DEADLINE_MS} */
  readonly timeoutMs?: number;
  /** Ends the wait; the call then rejects with the signal's own reason, and what it asked for may have been done. */
  readonly signal?: AbortSignal;
}

/** The longest that one call waits (5 s): far above what a busy server needs, far below a person's patience. */
export const DEADLINE_MS = 5_000;

/** A terminal multiplexer. Every call has an end, and says what it does not know. */
export interface Multiplexer extends AsyncDisposable {
  readonly capabilities: Capabilities;
  /** Where it was looked for, for messages: the socket. */
  readonly address: string;
  /** All panes and the people attached. */
  list(options?: CallOptions): Promise<Answer<PaneList>>;
  /** Facts and screen of each pane, in the order asked for; a failure of one does not touch the others. */
  look(panes: readonly PaneRef[], options?: CallOptions): Promise<Answer<PaneLook>[]>;
  /** Pastes `text` as one paste, bracketed where the pane's program asked for that. Sends no key. */
  paste(pane: PaneRef, text: string, options?: CallOptions): Promise<Answer<null>>;
  /** Presses one key. */
  press(pane: PaneRef, key: Key, options?: CallOptions): Promise<Answer<null>>;
  /** Writes the name of a cell on a pane, where {@linkcode ListedPane.cell} reads it; `null` takes it off. */
  stamp(pane: PaneRef, cell: string | null, options?: CallOptions): Promise<Answer<null>>;
}
