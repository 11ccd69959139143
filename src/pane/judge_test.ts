import assert from "node:assert/strict";
import type { PaneFacts } from "./facts.ts";
import { coarse, judge, type JudgeOptions, type Verdict } from "./judge.ts";
import { readProfiles } from "./profile.ts";
import { parseScreen } from "./screen.ts";

const read = readProfiles();
assert(read.ok);
const { profiles } = read;
const RULE = "\x1b[0m" + "─".repeat(60);

/** What Claude Code with this above, in and below its composer is judged to be; `x` is the cursor's column. */
function claude(
  pane: { above?: string[]; row?: string; below?: string[]; x?: number },
  facts: Partial<PaneFacts> = {},
  options: JudgeOptions = {},
): Verdict {
  const { above = ["● Done.", ""], row = "\x1b[7m \x1b[0m", below = ["  ? for shortcuts"], x = 2 } = pane;
  const rows = [...above, RULE, `❯\u00a0${row}`, RULE, ...below];
  const known: PaneFacts = {
    columns: 60,
    rows: rows.length,
    cursor: { x, y: above.length + 1, visible: false },
    title: "✳ Claude Code",
    command: "claude",
    mode: "",
    alternateScreen: true,
    mouse: true,
    dead: false,
    inputOff: false,
    synchronized: false,
    processes: [
      { depth: 0, comm: "bash", argv: ["-bash"], pid: 1, foreground: false },
      { depth: 1, comm: "claude", argv: ["claude"], pid: 2, foreground: true },
    ],
    ...facts,
  };
  return judge(known, parseScreen(rows.join("\n"), 60, rows.length), profiles, options);
}

Deno.test("judge: an empty composer at rest is idle, and says why", () => {
  const verdict = claude({});
  assert.equal(verdict.state, "idle");
  assert.equal(verdict.agent, "claude");
  assert.deepEqual(verdict.profile, { layout: "rules", versions: ">=2.1 <3" });
  assert.match(verdict.evidence.join(" "), /claude is in the foreground.*composer is empty.*shortcuts/s);
});

Deno.test("judge: ghost text in the composer is nobody's (HUMAN-05, IDLE-02)", () => {
  const verdict = claude({ row: "\x1b[7mr\x1b[0m\x1b[2mun the tests\x1b[0m" });
  assert.equal(verdict.state, "idle");
  assert.equal(verdict.composer?.state, "ghost");
});

Deno.test("judge: a draft holds wherever the cursor stands in it (HUMAN-01)", () => {
  for (const x of [2, 5, 12]) assert.equal(claude({ row: "deploy the", x, below: [""] }).state, "draft");
  assert.equal(claude({ row: "\x1b[7mq\x1b[0m" }).state, "draft");
  assert.equal(claude({ row: "   ", x: 5 }).state, "draft", "blanks only");
  assert.equal(claude({ row: `\n  \n${RULE}` }).state, "draft", "an empty second row");
});

Deno.test("judge: our own text is told from somebody's draft, however it is wrapped", () => {
  const ours = "[steer 7f3a] look at this [end 7f3a]";
  const row = "[steer 7f3a] look at\n  this [end 7f3a]";
  assert.equal(claude({ row, below: [""], x: 17 }, {}, { ours }).composer?.state, "ours");
  assert.equal(claude({ row: `x${row}`, below: [""], x: 17 }, {}, { ours }).composer?.state, "draft");
  const pasted = claude({ row: "[Pasted text #1 +29 lines]", below: [""], x: 28 }, {}, { ours }).composer;
  assert.deepEqual([pasted?.state, pasted?.collapsed], ["draft", true]);
});

Deno.test("judge: a spinner line above an empty composer is busy whatever the footer says (IDLE-01)", () => {
  assert.equal(claude({ above: ["✳ Simplifying… (2m 18s · ↓ 4.8k tokens)", ""] }).state, "busy");
  assert.equal(claude({ above: ["✳ Simplifying…", "  ⎿  Tip: wait", ""], below: [""] }).state, "busy");
  assert.equal(claude({}, { title: "⠐ Claude Code" }).state, "busy");
});

Deno.test("judge: a conversation about dialogs is no dialog (MODAL-02)", () => {
  const above = [
    "● It asks: Do you want to proceed?",
    "  ❯ 1. Yes",
    "    2. No",
    "  Enter to select · Esc to cancel",
    "",
  ];
  assert.equal(claude({ above }).state, "idle");
});

Deno.test("judge: a dialog in the composer's place is modal (MODAL-01)", () => {
  const rows = ["", " Do you want to proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel"];
  const verdict = claude({ above: rows, row: "", below: [] }, { cursor: { x: 1, y: 2, visible: false } });
  assert.notEqual(verdict.state, "idle");
});

Deno.test("judge: the survey box is modal and names the one key that sends it away (MODAL-03)", () => {
  const above = ["● How is Claude doing this session? (optional)", "  1: Bad    2: Fine   3: Good   0: Dismiss"];
  const verdict = claude({ above: ["● Done.", "", ...above] });
  assert.equal(verdict.state, "modal");
  assert.deepEqual(verdict.dismiss, { name: "survey", key: "Escape" });
});

Deno.test("judge: copy mode, input off and synchronised panes keep keys away (COPY-01, COPY-02)", () => {
  assert.equal(claude({}, { mode: "copy-mode" }).state, "scrolled");
  assert.equal(claude({}, { mode: "tree-mode" }).state, "scrolled");
  assert.equal(claude({}, { inputOff: true }).state, "scrolled");
  assert.equal(claude({}, { synchronized: true }).state, "scrolled");
});

Deno.test("judge: a perfect screen without its agent is a shell or gone (SHELL-01)", () => {
  const shell = [{ depth: 0, comm: "bash", argv: ["-bash"], pid: 1, foreground: true }];
  assert.equal(claude({}, { command: "bash", processes: shell }).state, "shell");
  assert.equal(claude({}, { dead: true }).state, "gone");
  const less = { depth: 1, comm: "less", argv: ["less"], pid: 2, foreground: true };
  assert.equal(claude({}, { command: "less", processes: [{ ...shell[0], foreground: false }, less] }).state, "gone");
});

Deno.test("judge: what is not known is not idle", () => {
  assert.equal(claude({ below: ["  a footer of the next release"] }).state, "unknown-screen");
  assert.equal(claude({ below: ["  ? for shortcuts", "❯ something new"] }).state, "unknown-screen");
  assert.equal(claude({ below: [] }).state, "unknown-screen");
});

Deno.test("coarse: the seed's three words, busy for all that is in doubt", () => {
  assert.deepEqual(
    (["idle", "modal", "busy", "draft", "scrolled", "shell", "gone", "unknown-screen"] as const).map(coarse),
    ["idle", "modal", "busy", "busy", "busy", "busy", "busy", "busy"],
  );
});
