import assert from "node:assert/strict";
import { type Answer, failure, value } from "./answer.ts";
import type { Multiplexer, PaneLook } from "./multiplexer.ts";
import { probePane, QUIET_MS } from "./probe.ts";
import { readProfiles } from "./profile.ts";
import { readRecorded } from "./recorded.ts";

const read = readProfiles();
assert(read.ok);
const { profiles } = read;
const NOW = 1_800_000_000_000;
const recorded = await readRecorded(new URL("../../testdata/panes", import.meta.url).pathname);

/** Recorded screens of one agent, shown one after the other by a multiplexer that has no other pane. */
async function looks(
  agent: string,
  states: readonly string[],
  change: (look: PaneLook, i: number) => PaneLook = (l) => l,
) {
  const shown: Answer<PaneLook>[] = [];
  for (const [i, state] of states.entries()) {
    const found = recorded.find(({ entry }) =>
      `${entry.agent}-${entry.version}` === agent && entry.state === state && entry.size[0] === 120
    );
    if (found === undefined) {
      shown.push(failure("gone", "no such pane"));
      continue;
    }
    const { processes: _, ...facts } = found.facts;
    const ref = { target: "%1", server: { pid: 1, startTime: 1 } };
    const ansi = await Deno.readTextFile(new URL(`../../testdata/panes/${found.entry.ansi}`, import.meta.url));
    shown.push(value(change({ ref, pid: 10, facts, ansi, lastKeyAtMs: null }, i)));
  }
  let slept = 0;
  const multiplexer = { look: () => Promise.resolve([shown.length > 1 ? shown.shift()! : shown[0]]) };
  const answer = await probePane({ target: "%1", server: { pid: 1, startTime: 1 } }, {
    multiplexer: multiplexer as unknown as Multiplexer,
    processes: {
      list: () =>
        Promise.resolve([
          { pid: 10, parent: 1, group: 10, terminalGroup: 11, comm: "bash" },
          { pid: 11, parent: 10, group: 11, terminalGroup: 11, comm: "claude" },
        ]),
      argv: (pid) => Promise.resolve(pid === 11 ? ["/opt/claude/bin/claude"] : ["bash"]),
    },
    profiles,
    clock: { now: () => NOW, sleep: (ms) => (slept += ms, Promise.resolve()) },
  });
  return { answer, slept, state: answer.ok ? answer.value.state : answer.reason };
}

const AGENT = "claude-2.1.197";

Deno.test("probePane: a pane that stays idle is idle after several looks", async () => {
  const { state, slept } = await looks(AGENT, ["idle-fresh"]);
  assert.equal(state, "idle");
  assert(slept > 0, "one look is not enough");
});

Deno.test("probePane: idle for one look and busy at the next is busy (ENTER-05)", async () => {
  assert.equal((await looks(AGENT, ["idle-fresh", "busy-waiting"])).state, "busy");
});

Deno.test("probePane: a dialog that opens between two looks is modal", async () => {
  assert.equal((await looks(AGENT, ["idle-fresh", "idle-fresh", "permission"])).state, "modal");
});

Deno.test("probePane: a pane that goes away between two looks is gone (PANE-11)", async () => {
  assert.equal((await looks(AGENT, ["idle-fresh", "no such screen"])).state, "gone");
});

Deno.test("probePane: an idle screen on which something moves is busy (IDLE-05)", async () => {
  const title = (look: PaneLook, i: number) => ({
    ...look,
    facts: { ...look.facts, title: `✳ Claude Code${" ".repeat(i)}` },
  });
  assert.equal((await looks(AGENT, ["idle-fresh", "idle-fresh"], title)).state, "busy");
  const row = (look: PaneLook, i: number) => ({ ...look, ansi: look.ansi.replace(/^./, String(i)) });
  assert.equal((await looks(AGENT, ["idle-fresh", "idle-fresh"], row)).state, "busy");
});

Deno.test("probePane: somebody who pressed a key a moment ago is waited for, no longer than told (HUMAN-04)", async () => {
  const typed = (ago: number) => (look: PaneLook) => ({ ...look, lastKeyAtMs: NOW - ago });
  assert.equal((await looks(AGENT, ["idle-fresh"], typed(QUIET_MS - 1))).state, "busy");
  assert.equal((await looks(AGENT, ["idle-fresh"], typed(QUIET_MS))).state, "idle");
});
