/**
 * Every recorded pane, and every recorded pane changed in ways that do not change what it is: no screen that is not idle may
 * become idle, and the idle ones mostly stay so.
 */
import assert from "node:assert/strict";
import { probeScreens } from "../src/cli/probe_screens.ts";
import { findComposer } from "../src/pane/composer.ts";
import { judge } from "../src/pane/judge.ts";
import { readProfiles } from "../src/pane/profile.ts";
import { type Entry, readRecorded, recorded } from "../src/pane/recorded.ts";

/** A style sequence, as tmux writes it. */
const STYLE = /\p{Cc}\[[\d;:]*m/gu;

const PANES = new URL("../testdata/panes", import.meta.url);

/** A pane as it was recorded: what its index entry says, and its rows. */
interface Pane {
  readonly entry: Entry;
  readonly rows: readonly string[];
}

const read = readProfiles();
assert(read.ok);
const { profiles } = read;
const panes: Pane[] = await Promise.all((await readRecorded(PANES)).map(async ({ entry }) => ({
  entry,
  rows: (await Deno.readTextFile(new URL(`panes/${entry.ansi}`, new URL("../testdata/", import.meta.url)))).split("\n"),
})));

Deno.test("panes: no recorded screen that is not idle is called idle, and of the idle ones nearly all are, at every size", async () => {
  const { rows, table } = await probeScreens(PANES.pathname, profiles);
  assert.equal(rows.length, panes.length);
  assert.deepEqual(table.falselyIdle, []);
  for (const [size, { right, of }] of Object.entries(table.idleBySize)) assert(right >= 0.95 * of, size);
  assert(table.agents.right >= 0.95 * table.agents.of);
  assert(table.wrong.length <= 0.02 * rows.length, table.wrong.join(" "));
});

/** What a conversation about dialogs may show, and a perfect idle composer of each kind (MODAL-02). */
const TALK = [
  "Do you want to proceed?",
  "❯ 1. Yes",
  "  2. No, and tell it what to do differently (esc)",
  "esc to interrupt · Enter to select · ↑/↓ to navigate · Esc to cancel",
  "────────────────────────────────────────",
  "❯\u00a0\x1b[7m \x1b[0m",
  "────────────────────────────────────────",
  "  ? for shortcuts",
  "",
  "› \x1b[2mAsk Codex to do anything\x1b[0m",
  "",
  "  a-model default · /home/somebody",
  "╭──────────────────────────────────────╮",
  "│ \x1b[1m\x1b[34m● \x1b[0;3m\x1b[90m▋Ask anything\x1b[0m                       │",
  "╰──────────────────────────────────────╯",
  "  main                  ◉ Continue CLI",
];

/** Changes that leave a pane what it is; `null` where one cannot be made. */
const CHANGES: Readonly<Record<string, (pane: Pane) => Pane | null>> = {
  "the conversation talks about dialogs and shows composers": (pane) => {
    const end = transcriptEnd(pane);
    return {
      ...pane,
      rows: pane.rows.map((row, y) => y < end ? `\x1b[0m${TALK[y % TALK.length]}\x1b[0m${stylesOf(row)}` : row),
    };
  },
  "the pane is wider": (pane) => sized(pane, pane.entry.size[0] + 17, pane.rows, 0),
  "the pane is as narrow as its text": (pane) => {
    const { screen } = recorded(pane.entry, pane.rows.join("\n"));
    return sized(pane, Math.max(pane.entry.cursor.x + 1, ...screen.lines.map((line) => line.length)), pane.rows, 0);
  },
  "the pane is taller": (pane) => sized(pane, pane.entry.size[0], ["", "", "", ...pane.rows], 3),
  "verbs, numbers and clocks differ": (pane) => ({
    ...pane,
    rows: pane.rows.map((row) =>
      row.replace(/([·✢✳✶✻✽*] )[A-Z][\w-]+…/u, "$1Frobnicating…").replace(/(\d)s\b/g, (_, n) => `${9 - n}s`)
        .replace(/\b\d\d:\d\d\b/g, "07:45")
    ),
  }),
  "model, folder and project have other names": ({ entry, rows }) => {
    const renamed = (text: string) =>
      text.replaceAll("mock-model", "zeta9-mini").replaceAll("Mock Model", "Zeta Maxi9")
        .replaceAll("/home/dev/my-rep", "/srv/data/zz-top").replaceAll("proj", "quux").replaceAll("master", "topics");
    return { entry: { ...entry, pane_title: renamed(entry.pane_title) }, rows: rows.map(renamed) };
  },
};

for (const [name, change] of Object.entries(CHANGES)) {
  Deno.test(`panes: nothing becomes idle, and what is idle stays so, when ${name}`, () => {
    const changed = panes.map(change).filter((pane) => pane !== null);
    const idle = changed.filter(({ entry }) => entry.expected === "idle");
    assert.deepEqual(changed.filter(isFalselyIdle).map(({ entry }) => entry.ansi), []);
    const lost = idle.filter((pane) => stateOf(pane) !== "idle").map(({ entry }) => entry.ansi);
    assert(lost.length <= 0.05 * idle.length, lost.join(" "));
  });
}

Deno.test("panes: nothing becomes idle when the upper rows are cut off, however many", () => {
  // Once its page of help is cut off, nothing tells it from any other conversation; the composer below it is live.
  const cuttable = panes.filter(({ entry }) => entry.ansi !== "gemini-0.61.0/help-command-120x40.ansi");
  for (const pane of cuttable) {
    for (let cut = 1; cut < pane.entry.cursor.y; cut++) {
      const shorter = sized(pane, pane.entry.size[0], pane.rows.slice(cut), -cut);
      assert(!isFalselyIdle(shorter), `${pane.entry.ansi} without ${cut} rows`);
    }
  }
});

Deno.test("panes: nothing becomes idle without its title, its lower rows, its colours or its cursor", () => {
  for (const pane of panes) {
    const { entry, rows } = pane;
    const [columns] = entry.size;
    assert(!isFalselyIdle({ ...pane, entry: { ...entry, pane_title: "" } }), `${entry.ansi} without title`);
    assert(
      !isFalselyIdle(sized(pane, columns, rows.slice(0, entry.cursor.y + 1), 0)),
      `${entry.ansi} cut below its cursor`,
    );
    const plain = rows.map((row) => row.replace(STYLE, ""));
    assert(!isFalselyIdle({ ...pane, rows: plain }), `${entry.ansi} without colours`);
    const hidden = { ...entry, cursor: { x: 0, y: entry.size[1] - 1, visible: false } };
    assert(!isFalselyIdle({ entry: hidden, rows }), `${entry.ansi} without cursor`);
  }
});

Deno.test("panes: an agent's idle screen is not idle when another program, a shell or nobody has the keys (SHELL-01)", () => {
  for (const { entry, rows } of panes.filter(({ entry }) => entry.expected === "idle")) {
    for (const comm of ["less", "cat", "bash", "ssh", "vim"]) {
      const tree = [{ depth: 0, comm: "bash", argv: [] }, { depth: 1, comm, argv: [] }];
      const other = { ...entry, pane_current_command: comm, process_tree: tree };
      assert(["shell", "gone"].includes(stateOf({ entry: other, rows })), `${entry.ansi} in ${comm}`);
    }
    const copying = { ...entry, pane_in_mode: 1, pane_mode: "copy-mode" };
    assert.equal(stateOf({ entry: copying, rows }), "scrolled");
  }
});

/** The style sequences of a row, so that the rows below it, to which styles run on, look the same without it. */
function stylesOf(row: string): string {
  return (row.match(STYLE) ?? []).join("");
}

function stateOf({ entry, rows }: Pane): string {
  const { facts, screen } = recorded(entry, rows.join("\n"));
  return judge(facts, screen, profiles).state;
}

function isFalselyIdle(pane: Pane): boolean {
  return !pane.entry.accept.includes("idle") && stateOf(pane) === "idle";
}

/** The pane with other columns and rows, everything moved down by `down`. */
function sized({ entry }: Pane, columns: number, rows: readonly string[], down: number): Pane {
  const cursor = { ...entry.cursor, y: entry.cursor.y + down };
  return { entry: { ...entry, size: [columns, Math.max(rows.length - 1, cursor.y + 1)], cursor }, rows };
}

/** The blank row above the last block over the composer, up to which all is conversation; without composer, less. */
function transcriptEnd({ entry, rows }: Pane): number {
  const { facts, screen } = recorded(entry, rows.join("\n"));
  const specs = profiles.filter(({ agent }) => agent === entry.agent).flatMap(({ layouts }) => layouts);
  for (const { composer } of specs) {
    const frame = findComposer(screen, facts, composer);
    if (frame === null) continue;
    const lines = screen.lines.slice(0, Math.max(0, frame.first - 4));
    const block = lines.findLastIndex((line) => /^ {0,2}\S/.test(line));
    return lines.slice(0, Math.max(0, block)).findLastIndex((line) => line === "");
  }
  return Math.floor(screen.lines.findIndex((line, y) => y >= entry.cursor.y || line.includes("?")) / 2);
}
