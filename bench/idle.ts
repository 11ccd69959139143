import { inChild } from "./_child.ts";
import type { Report, Row, Target } from "./_measure.ts";
import { tempDir } from "./_tree.ts";

/** One process that waits for many sessions in which nothing happens. */

const POLL_MS = 1000;

/** After its start a waiter lists at every poll for 3 s; what is measured is what comes then. */
const SETTLE_MS = 4000;

/** CPU of one process over idle sessions; when not quick, long enough for a heartbeat (each 60 s) and re-listings (each 30 s). */
export async function idleTopic(quick: boolean): Promise<Report> {
  const count = quick ? 10 : 100;
  const windowMs = quick ? 1000 : 60_000;
  const load = async (role: "drops" | "prompts" | "stats", events: boolean) => {
    await using temp = await tempDir();
    const { cpuMs, ms } = await inChild(role, temp.path, count, POLL_MS, String(events), SETTLE_MS, windowMs);
    return cpuMs / ms * 100;
  };
  // All at the same time: each counts its own CPU time, and they meet the same machine.
  const [dropsEvents, dropsPolling, promptsEvents, promptsPolling, limit] = await Promise.all([
    load("drops", true),
    load("drops", false),
    load("prompts", true),
    load("prompts", false),
    load("stats", false),
  ]);
  const row = (how: string, measured: number): Row => ({
    what: `idle, ${count} sessions, pollMs ${POLL_MS}, ${how}`,
    measured,
    limit,
    unit: "% core",
    limitIs: "bare timer and one stat per session",
  });
  const rows = [
    row("drops, events", dropsEvents),
    row("drops, no events", dropsPolling),
    row("prompts, events", promptsEvents),
    row("prompts, no events", promptsPolling),
  ];
  const targets: Target[] = rows.map(({ what, measured }) => ({ what, measured, most: 1, unit: "% core" }));
  return { rows, targets };
}
