import assert from "node:assert/strict";
import { recordDrift } from "./drift.ts";
import { judge } from "./judge.ts";
import type { Probe } from "./probe.ts";
import { readProfiles } from "./profile.ts";
import { readRecorded } from "./recorded.ts";

Deno.test("recordDrift: an unknown screen becomes a recording that is judged the same, kept once", async () => {
  const read = readProfiles();
  assert(read.ok);
  const [{ facts, screen }] = await readRecorded(new URL("../../testdata/panes", import.meta.url).pathname);
  const ansi = "a screen that nobody knows\n";
  const ref = { target: "%1", server: { pid: 1, startTime: 1 } };
  const snapshot = { ref, pid: 1, facts, ansi, lastKeyAtMs: null };
  const probe: Probe = { ...judge(facts, screen, read.profiles), snapshot };
  const dir = await Deno.makeTempDir({ prefix: "deaddrop-" });
  try {
    const folder = await recordDrift(dir, probe);
    assert.equal(await recordDrift(dir, probe), folder);
    assert.equal((await Array.fromAsync(Deno.readDir(dir))).length, 1);
    const [again] = await readRecorded(folder!);
    assert.deepEqual(again.facts.cursor, facts.cursor);
    assert.equal(again.screen.lines[0], "a screen that nobody knows");
    assert.equal(judge(again.facts, again.screen, read.profiles).state, "unknown-screen");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
