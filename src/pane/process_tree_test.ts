import assert from "node:assert/strict";
import { parsePs, parseStat, type ProcessRow, processTrees, procTable, psTable } from "./process_tree.ts";

const row = (pid: number, parent: number, group: number, comm: string, terminalGroup = 20): ProcessRow => ({
  pid,
  parent,
  group,
  terminalGroup,
  comm,
});

const rows = [row(10, 1, 10, "bash"), row(20, 10, 20, "node"), row(21, 20, 20, "codex"), row(30, 10, 30, "sleep")];
const table = {
  list: () => Promise.resolve([...rows, row(40, 1, 40, "codex"), row(50, 1, 50, "bash", -1)]),
  argv: (pid: number) => Promise.resolve([`argv-${pid}`]),
};

Deno.test("processTrees(): walks down each pane's tree and says who has the terminal; daemons elsewhere are not in it", async () => {
  const [tree, alone, gone] = await processTrees(table, [10, 50, 99]);
  assert.deepEqual(tree.map(({ pid, depth, comm, foreground }) => [pid, depth, comm, foreground]), [
    [10, 0, "bash", false],
    [20, 1, "node", true],
    [21, 2, "codex", true],
    [30, 1, "sleep", false],
  ]);
  assert.deepEqual(tree[0].argv, ["argv-10"]);
  assert.deepEqual(alone.map(({ foreground }) => foreground), [null]);
  assert.deepEqual(gone, []);
});

Deno.test("processTrees(): a table that turns in circles and a crowd both end", async () => {
  const crowd = Array.from({ length: 1000 }, (_, index) => row(index + 2, 1, 1, "x"));
  const [tree] = await processTrees({ ...table, list: () => Promise.resolve([row(1, 1, 1, "x"), ...crowd]) }, [1]);
  assert.equal(tree.length, 200);
});

Deno.test("parseStat(): reads a name with parentheses and blanks; garbage is null", () => {
  const text = "77 (a) R (b c) S 10 20 30 34817 40 4194304 1 2 3";
  assert.deepEqual(parseStat(text), { pid: 77, comm: "a) R (b c", parent: 10, group: 20, terminalGroup: 40 });
  assert.equal(parseStat("nonsense"), null);
});

Deno.test("parsePs(): reads a line; no terminal is -1 in both dialects", () => {
  assert.deepEqual(parsePs("   77    10    20    40 a b  "), row(77, 10, 20, "a b", 40));
  assert.equal(parsePs("77 10 20 0 sh")?.terminalGroup, -1);
  assert.equal(parsePs("77 10 20 -1 sh")?.terminalGroup, -1);
  assert.equal(parsePs("PID PPID"), null);
});

Deno.test({
  name: "procTable and psTable: say the same of a running process",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const child = new Deno.Command("sleep", { args: ["1000"] }).spawn();
    try {
      const one = (await procTable.list()).find(({ pid }) => pid === child.pid);
      assert.equal(one?.parent, Deno.pid);
      assert.equal(one?.comm, "sleep");
      assert.deepEqual((await psTable.list()).find(({ pid }) => pid === child.pid), one);
      const argv = await procTable.argv(child.pid);
      assert.match(argv.join(" "), /sleep 1000$/);
      assert.deepEqual(await psTable.argv(child.pid), argv);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
    for (const each of [procTable, psTable]) assert.deepEqual(await each.argv(child.pid), []);
  },
});
