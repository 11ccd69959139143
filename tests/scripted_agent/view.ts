/** What the scripted agent shows: the frame of Claude Code 2.1.197, row by row. Pure. */
import { widthOf } from "../../src/pane/width.ts";
import type { Editor } from "./editor.ts";
import { type Menu, menuRows } from "./menus.ts";
import { BOLD, DIM, GREY, ORANGE, paint, PINK, REVERSE, RULE, SAID } from "./paint.ts";

/** All that the screen depends on. */
export interface View {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  /** Of finished and running turns. */
  readonly transcript: readonly Line[];
  readonly editor: Editor;
  readonly ghost: string;
  readonly menu: Menu | null;
  /** Milliseconds since the turn began; `null` when none runs. */
  readonly busyMs: number | null;
  /** A second Ctrl-C would end it. */
  readonly exiting: boolean;
  /** The shortcuts are shown. */
  readonly help: boolean;
}

/** Rows to write, the cursor's place in them, the title. */
export interface Drawing {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
  readonly title: string;
}

const STARS = "·✢✳✶✻✽";
const FRAME_MS = 120;

/** A line of the transcript; it is painted once it is wrapped. */
export interface Line {
  readonly style: string;
  readonly text: string;
}

/** Lines of the transcript that somebody said. */
export function said(text: string, shell = false): Line[] {
  return text.split("\n").map((line, y) => ({ style: SAID, text: `${y > 0 ? " " : shell ? "!" : "❯"} ${line}` }));
}

/** Draws the whole screen, without more rows than it has. */
export function draw(view: View): Drawing {
  const above = [...header(view.cwd), "", ...transcriptRows(view.transcript, view.columns), ...spinner(view)];
  const box = view.menu !== null && view.menu.name !== "survey" ? dialog(view.menu, view.columns) : composer(view);
  const lines = [...above, ...box.lines];
  const cut = Math.max(0, lines.length - view.rows);
  const busy = view.busyMs !== null && (view.menu === null || view.menu.name === "survey");
  const glyph = busy ? Math.floor((view.busyMs ?? 0) / 960) % 2 === 0 ? "⠂" : "⠐" : "✳";
  const y = Math.max(0, above.length + box.cursor.y - cut);
  return { lines: lines.slice(cut), cursor: { x: box.cursor.x, y }, title: `${glyph} Claude Code` };
}

function header(cwd: string): string[] {
  return [
    `${paint(ORANGE, " ▐▛███▜▌")}   ${paint(BOLD, "Claude Code")} ${paint(GREY, "v2.1.197")}`,
    `${paint(ORANGE, "▝▜█████▛▘")}  ${paint(GREY, "Opus 4.8 (1M context) · API Usage Billing")}`,
    `${paint(ORANGE, "  ▘▘ ▝▝")}    ${paint(GREY, cwd)}`,
  ];
}

function spinner({ busyMs, menu }: View): string[] {
  if (busyMs === null || (menu !== null && menu.name !== "survey")) return [];
  const star = STARS[Math.floor(busyMs / FRAME_MS) % STARS.length];
  const seconds = Math.floor(busyMs / 1000);
  const spent = seconds > 0 ? paint(GREY, ` (${seconds}s · ↓ ${seconds * 4} tokens)`) : "";
  return ["", paint(ORANGE, `${star} Cascading…`) + spent];
}

function dialog(menu: Menu, columns: number) {
  const lines = ["", paint(RULE, "─".repeat(columns)), ...menuRows(menu, columns)];
  return { lines, cursor: { x: menu.name === "permission" ? 1 : 0, y: lines.findIndex((line) => line.includes("❯")) } };
}

/** The input box between its two rules, the survey that touches its upper edge, the footer. */
function composer(view: View) {
  const { columns, editor, menu } = view;
  const hint = menu === null ? [] : menuRows(menu, columns);
  const rule = paint(editor.shell ? PINK : RULE, "─".repeat(columns));
  const { rows, cursor } = input(view);
  const lines = ["", ...hint, rule, ...rows, rule, ...footer(view)];
  return { lines, cursor: { x: cursor.x, y: cursor.y + hint.length + 2 } };
}

function input({ columns, editor, ghost, busyMs }: View) {
  const glyph = paint(busyMs === null ? "" : GREY, `${editor.shell ? "!" : "❯"}\u00a0`);
  if (editor.empty && ghost !== "" && busyMs === null) {
    return { rows: [`${glyph}${paint(REVERSE, ghost[0])}${paint(DIM, ghost.slice(1))}`], cursor: { x: 2, y: 0 } };
  }
  // A blank at the end is the place of a cursor behind the text.
  const wrapped = wrap(editor.text, columns - 3);
  const y = wrapped.findLastIndex(({ start }) => start <= editor.cursor);
  const at = editor.cursor - wrapped[y].start;
  const rows = wrapped.map(({ text }, i) => {
    if (i !== y) return text;
    const under = [...text.slice(at)][0] ?? " ";
    return text.slice(0, at) + paint(REVERSE, under) + text.slice(at + (at < text.length ? under.length : 0));
  });
  const x = 2 + columnsOf(wrapped[y].text.slice(0, at));
  return { rows: rows.map((row, i) => `${i === 0 ? glyph : "  "}${row}`), cursor: { x, y } };
}

function footer({ editor, busyMs, exiting, help }: View): string[] {
  if (exiting) return [`  ${paint(GREY, "Press Ctrl-C again to exit")}`];
  if (help) return [`  ${paint(GREY, "! for shell mode        double tap esc to clear input")}`];
  if (editor.shell) return [`  ${paint(PINK, "! for shell mode")}`];
  if (editor.vim === "insert") return [`  ${paint(GREY, "-- INSERT --")}`];
  if (!editor.empty) return [""];
  return [`  ${paint(GREY, busyMs === null ? "? for shortcuts · ← for agents" : "esc to interrupt · ← for agents")}`];
}

/** Cuts at line feeds and at the width; `start` is where a row begins in the text. */
function wrap(text: string, columns: number): { text: string; start: number }[] {
  const rows = [{ text: "", start: 0 }];
  let used = 0;
  let index = 0;
  for (const character of text) {
    const width = widthOf(character);
    if (character === "\n" || used + width > columns) {
      rows.push({ text: "", start: character === "\n" ? index + 1 : index });
      used = 0;
    }
    if (character !== "\n") {
      rows[rows.length - 1].text += character;
      used += width;
    }
    index += character.length;
  }
  return rows;
}

function transcriptRows(transcript: readonly Line[], columns: number): string[] {
  return transcript.flatMap(({ style, text }) => wrap(text, columns).map((row) => paint(style, row.text)));
}

function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + widthOf(character), 0);
}
