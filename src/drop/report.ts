import type { Leftover } from "./names.ts";
import type { SessionInfo } from "./session.ts";

/** What a look through a root can find, and what to say about it. */

/** A report lists at most this many findings (1000) and counts the others. */
export const MAX_FINDINGS = 1000;

/** What a finding is. */
export type FindingKind =
  | "unanswered"
  | "unfinished-reply"
  | "stale-reply"
  | "arriving"
  | "stale-claim"
  | "stale-temp"
  | "foreign-name"
  | "leftover"
  | "not-regular"
  | "unreadable"
  | "placeholder";

/** One entry that somebody may want to know about. */
export interface Finding {
  readonly kind: FindingKind;
  /** Full path of the entry. */
  readonly path: string;
  /** Milliseconds since it last changed, by this machine's clock; `null` where that is unknown. */
  readonly ageMs: number | null;
  /** What it is and the way out: one sentence without a full stop. */
  readonly advice: string;
}

/** What lies in one session. */
export interface SessionReport {
  readonly id: string;
  /** As `sessionInfo` tells it, or that it cannot be looked at. */
  readonly state: SessionInfo["state"] | "unreadable";
  readonly lastSeen: string | null;
  readonly hostName: string | null;
  /** Messages that wait to be picked up. */
  readonly drops: number;
  /** All prompts, answered or not. */
  readonly prompts: number;
  /** Prompts that need an answer. */
  readonly pending: number;
  /** Replies that are being written. */
  readonly streaming: number;
  /** Replies whose writer is gone. */
  readonly stale: number;
  /** Complete replies. */
  readonly done: number;
}

/** What {@linkcode inspectRoot} found. */
export interface RootReport {
  readonly root: string;
  /** The note about the machine. */
  readonly machineNote: "present" | "missing" | "damaged";
  readonly sessions: readonly SessionReport[];
  /** Files in `prompts/` and `responses/`. */
  readonly olderRoute: { readonly prompts: number; readonly responses: number };
  readonly findings: readonly Finding[];
  /** Findings beyond the bound, which are only counted. */
  readonly moreFindings: number;
}

/** The sentence for each kind of finding; leftovers have their own. */
export const ADVICE: Readonly<Record<Exclude<FindingKind, "leftover">, string>> = {
  "unanswered": "Nobody answers this prompt yet; start a responder for its session or use `deaddrop reply`",
  "unfinished-reply": "Somebody is writing this reply; wait for it or read along with `deaddrop follow`",
  "stale-reply": "The writer of this reply is gone or silent; answer anew with `deaddrop reply --restart`",
  "arriving": "A file of this prompt is missing or not whole yet; wait for the sync tool or have it sent again",
  "stale-claim": "A consumer took this message and died; the next `deaddrop pickup` or `watch` takes it over",
  "stale-temp": "A writer died before it was done; whoever waits here next sweeps it, or remove it",
  "foreign-name": "No reader takes an entry of this name; rename or remove it",
  "not-regular": "It is a link, a device, or a file where a directory belongs, and is never followed; remove it",
  "unreadable": "It cannot be read; check its owner and mode",
  "placeholder": "Perhaps this file is not downloaded yet; open it in the sync tool or keep the folder on this machine",
};

/** The sentence for each kind of leftover. */
export const LEFTOVER_ADVICE: Readonly<Record<Leftover, string>> = {
  partial: "A sync tool or an editor has not finished this file, so no reader takes it; wait, or remove it",
  conflict: "Two machines wrote one name and this is the losing copy, which no reader takes; compare, then remove it",
  copy: "A desktop or cloud drive numbered this copy, which no reader takes; rename or remove it",
  system: "The system keeps its folder settings here; no reader takes it, and it can stay",
};
