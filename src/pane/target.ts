import type { FailureReason } from "./answer.ts";
import type { PaneProcess } from "./facts.ts";
import type { CallOptions, ListedPane, Multiplexer, PaneList, PanePlace } from "./multiplexer.ts";
import { type ProcessTable, processTrees } from "./process_tree.ts";

/** From a name to a pane: by listing and comparing for equality, since tmux itself takes any session that begins alike. */

/** Says which agent runs in a pane, by the processes under it; `null` when none does. */
export type RecogniseAgent = (processes: readonly PaneProcess[], pane: ListedPane) => string | null;

/** Options of {@linkcode resolveSessionPane}. */
export interface ResolveOptions extends CallOptions {
  readonly multiplexer: Multiplexer;
  readonly processes: ProcessTable;
  readonly recognise: RecogniseAgent;
}

/**
 * Why a name is no pane: no session, window or stamp has that name; nothing lives in it; several panes have an agent; a
 * shell or another program is in the foreground; or what kept the multiplexer from answering.
 */
export type UnresolvedReason = "no-session" | "no-pane" | "several" | "shell" | "other-program" | FailureReason;

/** A pane with an agent in it, or why there is none to type into. */
export type ResolvedPane =
  | { readonly ok: true; readonly pane: ListedPane; readonly agent: string }
  | {
    readonly ok: false;
    readonly reason: UnresolvedReason;
    /** One sentence for people. */
    readonly message: string;
    /** The panes that were considered. */
    readonly candidates: readonly ListedPane[];
  };

/** Names of programs that read commands from a terminal. */
export const SHELLS: ReadonlySet<string> = new Set(
  ["ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "rbash", "sh", "tcsh", "xonsh", "zsh"],
);

/** How a pane is shown to people: `lab:0.1 (%3, bash)`. */
export function describePane({ ref, places, command }: ListedPane): string {
  const { session, windowIndex, paneIndex } = places[0];
  return `${session}:${windowIndex}.${paneIndex} (${ref.target}, ${command})`;
}

/**
 * Finds the pane in which the agent of a cell runs.
 *
 * A pane that bears the name as its stamp wins over every name that tmux shows, since those change. Otherwise `name` is a
 * session, or `session:window`, `session:window.pane` by index, or a pane id as `%3`. A pane stamped for another cell is
 * never taken for its session's name.
 *
 * @throws the signal's reason when it aborts.
 */
export async function resolveSessionPane(name: string, options: ResolveOptions): Promise<ResolvedPane> {
  const { multiplexer, processes, recognise } = options;
  const listed = await multiplexer.list(options);
  if (!listed.ok) {
    return {
      ok: false,
      reason: listed.reason,
      message: `${listed.message} (socket ${multiplexer.address})`,
      candidates: [],
    };
  }
  const candidates = findCandidates(name, listed.value);
  if (candidates === null) {
    const there = [...new Set(listed.value.panes.flatMap((pane) => pane.places.map((place) => place.session)))];
    const names = there.length === 0 ? "it has none" : `it has ${there.map((each) => JSON.stringify(each)).join(", ")}`;
    const message = `No session is called ${JSON.stringify(name)} on ${multiplexer.address}: ${names}`;
    return { ok: false, reason: "no-session", message, candidates: [] };
  }
  const living = candidates.filter((pane) => !pane.dead);
  const trees = await processTrees(processes, living.map((pane) => pane.pid));
  return choosePane(name, living.map((pane, index) => ({ pane, processes: trees[index] })), recognise);
}

/** The panes that a name may mean; `null` when it means nothing here. */
export function findCandidates(name: string, { panes }: PaneList): readonly ListedPane[] | null {
  const stamped = panes.filter((pane) => pane.cell === name);
  if (stamped.length > 0) return stamped;
  const byId = panes.filter((pane) => /^%\d+$/.test(name) && pane.ref.target === name);
  if (byId.length > 0) return byId;
  const named = panes.filter((pane) => pane.places.some((place) => spellings(place).includes(name)));
  if (named.length === 0) return null;
  return named.filter((pane) => pane.cell === null);
}

/** tmux itself keeps `:` and `.` out of session names, so none of these can be mistaken for another. */
function spellings({ session, windowIndex, paneIndex }: PanePlace): string[] {
  return [session, `${session}:${windowIndex}`, `${session}:${windowIndex}.${paneIndex}`];
}

/** The one pane with an agent among candidates. */
export function choosePane(
  name: string,
  candidates: readonly { readonly pane: ListedPane; readonly processes: readonly PaneProcess[] }[],
  recognise: RecogniseAgent,
): ResolvedPane {
  const panes = candidates.map(({ pane }) => pane);
  const refuse = (reason: UnresolvedReason, what: string, which: readonly ListedPane[]): ResolvedPane => {
    const where = which.length === 0 ? "" : `: ${which.map(describePane).join(", ")}`;
    return { ok: false, reason, message: `${what} ${JSON.stringify(name)}${where}`, candidates: which };
  };
  if (candidates.length === 0) return refuse("no-pane", "No living pane that is free belongs to", []);
  const found = candidates.map((each) => ({ ...each, agent: recognise(each.processes, each.pane) }));
  const agents = found.filter(({ agent }) => agent !== null);
  if (agents.length > 1) {
    return refuse("several", "Several panes run an agent, stamp one of them for", agents.map(({ pane }) => pane));
  }
  if (agents.length === 1) return { ok: true, pane: agents[0].pane, agent: agents[0].agent! };
  const onlyShells = found.every(({ pane, processes }) => SHELLS.has(foreground(pane, processes)));
  return onlyShells
    ? refuse("shell", "No agent runs, only a shell, in the pane of", panes)
    : refuse("other-program", "No agent that is known runs in the pane of", panes);
}

/** Name of the program that has the terminal; a login shell's own name begins with a hyphen. */
function foreground(pane: ListedPane, processes: readonly PaneProcess[]): string {
  const first = processes.find((process) => process.foreground === true);
  return (first?.comm ?? pane.command).replace(/^-/, "");
}
