import { type Answer, value } from "./answer.ts";
import { type PaneClock, systemClock } from "./clock.ts";
import { judge, type JudgeOptions, type Verdict } from "./judge.ts";
import type { CallOptions, Multiplexer, PaneRef } from "./multiplexer.ts";
import { paneFacts, type PaneSnapshot } from "./pane_facts.ts";
import type { ProcessTable } from "./process_tree.ts";
import type { Profile } from "./profile.ts";
import { parseScreen, type Screen } from "./screen.ts";

/**
 * Asking a live pane what it is. One look is a moment between two frames; a pane is idle only when several looks in a row say
 * so, nothing on it moved meanwhile, and nobody just typed.
 */

/** Looks that have to agree before a pane is idle. */
export const IDLE_LOOKS = 3;

/** Milliseconds between two looks: longer than a spinner's frame, so that one that turns is seen to turn. */
export const LOOK_MS = 400;

/** A person who pressed a key less than this ago (10 s) is still at it, whatever the screen says. */
export const QUIET_MS = 10_000;

/** Options of {@linkcode probePane}. */
export interface ProbeOptions extends CallOptions, JudgeOptions {
  readonly multiplexer: Multiplexer;
  readonly processes: ProcessTable;
  readonly profiles: readonly Profile[];
  /** Looks that have to agree on idle. @default {3} */
  readonly looks?: number;
  /** Milliseconds between two looks. @default {400} */
  readonly lookMs?: number;
  /** Milliseconds after a person's last key until a pane may be idle. @default {10000} */
  readonly quietMs?: number;
  /** @default {systemClock} */
  readonly clock?: PaneClock;
}

/** A verdict and the look that it rests on. */
export interface Probe extends Verdict {
  readonly snapshot: PaneSnapshot;
}

/**
 * What a pane is. Presses nothing, changes nothing.
 *
 * Anything but idle is said after one look; idle takes {@linkcode IDLE_LOOKS} of them, equal in every row but the
 * composer's own, where ghost text may change by itself.
 *
 * Requires what the multiplexer and the process table require.
 *
 * @param pane The pane, as a listing or `resolveSessionPane` gave it.
 * @returns The verdict; or why there is none, such as `gone` for a pane that is not there any more.
 * @throws the signal's reason when it aborts.
 */
export async function probePane(pane: PaneRef, options: ProbeOptions): Promise<Answer<Probe>> {
  const { looks = IDLE_LOOKS, lookMs = LOOK_MS, quietMs = QUIET_MS, clock = systemClock } = options;
  let previous: { probe: Probe; screen: Screen } | undefined;
  for (let look = 1;; look++) {
    const [answer] = await paneFacts(options.multiplexer, options.processes, [pane], options);
    if (!answer.ok) return answer;
    const snapshot = answer.value;
    const screen = parseScreen(snapshot.ansi, snapshot.facts.columns, snapshot.facts.rows);
    const probe: Probe = { ...judge(snapshot.facts, screen, options.profiles, options), snapshot };
    if (probe.state !== "idle") return value(probe);
    const idleMs = snapshot.lastKeyAtMs === null ? Infinity : clock.now() - snapshot.lastKeyAtMs;
    if (idleMs < quietMs) return value(busy(probe, `Somebody pressed a key ${Math.round(idleMs / 1000)} s ago.`));
    const moved = previous === undefined ? undefined : movement(previous, { probe, screen });
    if (moved !== undefined) return value(busy(probe, moved));
    if (look >= looks) return value({ ...probe, evidence: [...probe.evidence, `${looks} looks in a row agree.`] });
    previous = { probe, screen };
    await clock.sleep(lookMs, options.signal);
  }
}

function busy(probe: Probe, because: string): Probe {
  return { ...probe, state: "busy", evidence: [...probe.evidence, because] };
}

/** What moved between two looks at an idle pane, as a sentence. */
function movement(
  before: { probe: Probe; screen: Screen },
  after: { probe: Probe; screen: Screen },
): string | undefined {
  const [one, two] = [before.probe.snapshot.facts, after.probe.snapshot.facts];
  if (one.columns !== two.columns || one.rows !== two.rows) return "The pane was resized between two looks.";
  if (one.title !== two.title) return "The title changed between two looks.";
  if (one.cursor.x !== two.cursor.x || one.cursor.y !== two.cursor.y) return "The cursor moved between two looks.";
  const row = after.screen.lines.findIndex((line, y) => line !== before.screen.lines[y] && y !== two.cursor.y);
  if (row >= 0 && after.probe.composer?.state !== "ghost") return `Row ${row} changed between two looks.`;
}
