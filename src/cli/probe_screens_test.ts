import assert from "node:assert/strict";
import { readProfiles } from "../pane/profile.ts";
import { probeScreens, screenText } from "./probe_screens.ts";

Deno.test("probeScreens: counts what was called idle without being it, and shows it", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const pane = {
      agent: "claude",
      state: "made-up",
      expected: "modal",
      accept: ["modal"],
      size: [40, 6],
      cursor: { x: 2, y: 2, visible: false },
      ansi: "a b#.ansi",
      pane_current_command: "claude",
      process_tree: [{ depth: 0, comm: "bash" }, { depth: 1, comm: "claude" }],
    };
    const rule = "─".repeat(40);
    await Deno.writeTextFile(`${dir}/a b#.ansi`, `● Done.\n${rule}\n❯\u00a0\n${rule}\n  ? for shortcuts\n`);
    await Deno.writeTextFile(`${dir}/index.json`, JSON.stringify([pane]));
    const read = readProfiles();
    assert(read.ok);
    const report = await probeScreens(dir, read.profiles);
    assert.deepEqual(report.table.confusion, { modal: { idle: 1 } });
    assert.deepEqual(report.table.falselyIdle, ["a b#.ansi"]);
    assert.deepEqual(report.table.agents, { right: 1, of: 1 });
    assert.match(screenText(report), /called idle, but is not +1 +a b#\.ansi/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
