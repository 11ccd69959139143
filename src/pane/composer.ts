/**
 * What an agent's input box holds. The cursor and the styles decide together: the cursor alone fails when a person went back
 * to the start of the line, the styles alone when somebody typed blanks.
 */
import type { PaneFacts } from "./facts.ts";
import type { ComposerSpec } from "./profile.ts";
import { type Cell, type Screen, type Style, textOf } from "./screen.ts";

/** Where the composer is: its first input row, the row that ends its frame, the frame's first and last column. */
export interface Frame {
  readonly first: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** Where the next typed character goes. */
  readonly cursor: { readonly x: number; readonly y: number };
  /** Text in it is run as a shell command. */
  readonly shell: boolean;
  /** The column of the first typed character. */
  readonly column: number;
  /** The agent's own row inside the frame; empty where there is none. */
  readonly label: string;
}

/** What the composer holds. */
export interface Composer {
  /** Nothing; text that nobody typed; exactly the text that was asked for; anything else. */
  readonly state: "empty" | "ghost" | "ours" | "draft";
  /** The visible text, rows joined by line feeds. */
  readonly text: string;
  /** A long paste is shown as a mark in its place, which proves nothing about whose it is. */
  readonly collapsed: boolean;
  readonly because: string;
}

/** Finds the composer; `null` when the screen has none of this kind where the keys go. */
export function findComposer(screen: Screen, { cursor }: Pick<PaneFacts, "cursor">, spec: ComposerSpec): Frame | null {
  if (spec.cursor !== "block") {
    if (spec.cursor === "shown" && !cursor.visible) return null;
    const bottom = screen.lines.findIndex((line, y) => y > cursor.y && spec.bottom.test(line));
    return bottom < 0 ? null : frameAt(screen, spec, bottom, cursor.y, cursor);
  }
  for (let bottom = screen.rows - 1; bottom > 1; bottom--) {
    if (!spec.bottom.test(screen.lines[bottom])) continue;
    const frame = frameAt(screen, spec, bottom, bottom - 1, null);
    if (frame !== null) return frame;
  }
  return null;
}

/** The frame that ends at `bottom` and whose input starts at `from` or above; with the block as its cursor if none is given. */
function frameAt(
  screen: Screen,
  spec: ComposerSpec,
  bottom: number,
  from: number,
  cursor: { x: number; y: number } | null,
): Frame | null {
  const { left, right } = extent(screen.cells[bottom]);
  const row = (y: number) => textOf(screen.cells[y].slice(left, right + 1));
  for (let first = from; first > 0; first--) {
    const shell = row(first).match(spec.shell);
    const prompt = shell ?? row(first).match(spec.prompt);
    if (prompt !== null && spec.top.test(row(first - 1).trimEnd())) {
      const place = cursor ?? blockIn(screen.cells.slice(first, bottom), first, spec.caret);
      const label = spec.label !== undefined && bottom - 1 > first && spec.label.test(row(bottom - 1))
        ? row(bottom - 1)
        : "";
      const column = left + columnsOf(screen.cells[first].slice(left), prompt[0].length);
      return place &&
        { first, bottom, left, right, cursor: place, shell: shell !== null, column, label: label.trimEnd() };
    }
    if (spec.bottom.test(row(first).trimEnd())) return null;
  }
  return null;
}

/** What a composer holds; `ours` is the text that would be ours. */
export function readComposer(
  screen: Screen,
  frame: Frame,
  spec: ComposerSpec,
  ours?: string,
  collapsed?: RegExp,
): Composer {
  const { first, bottom, left, right, cursor, column } = frame;
  const rows = screen.cells.slice(first, frame.label === "" ? bottom : bottom - 1).map((row, y) =>
    row.slice(0, right + 1).map((cell, x) => {
      const outside = x < (y === 0 ? column : left) || (/^[│┃]$/.test(cell.text) && (x === left || x === right));
      return { cell, x, y: first + y, visible: !outside && visible(cell) };
    })
  );
  const written = rows.flat().filter(({ visible }) => visible);
  const isCursor = ({ x, y }: { x: number; y: number }) => x === cursor.x && y === cursor.y;
  const typed = written.filter((each, i) => {
    if (spec.caret !== undefined && isCursor(each) && each.cell.text === spec.caret) return false;
    // The character under a block cursor has the cursor's style: it belongs to what follows it.
    const judged = isCursor(each) ? written[i + 1]?.cell : each.cell;
    return judged === undefined || !spec.ghost.some((ghost) => looks(judged.style, ghost));
  });
  const atPrompt = isCursor({ x: column, y: first });
  const text = rows.map((row) =>
    textOf(row.map(({ cell, visible }) => visible ? cell : { ...cell, text: cell.text && " " }))
  )
    .map((line, y) => squeeze(line.slice(y === 0 ? column : left)).trimEnd()).join("\n").trimEnd();
  const answer = (state: Composer["state"], because: string): Composer => ({
    state,
    text: state === "empty" || state === "ghost" ? "" : text,
    collapsed: state === "draft" && collapsed !== undefined && collapsed.test(text),
    because,
  });
  if (typed.length > 0) {
    return ours !== undefined && bare(text) === bare(ours)
      ? answer("ours", "the composer holds our text and nothing else")
      : answer("draft", "somebody's text is in the composer");
  }
  if (!atPrompt) return answer("draft", "the cursor has left the start of the composer: blanks were typed");
  if (written.length === 0 && rows.length > 1 + spec.padding) {
    return answer("draft", "the composer has grown: rows were typed");
  }
  if (written.length > 0) return answer("ghost", "the composer holds only ghost text, the cursor before it");
  return spec.alwaysGhost
    ? answer("draft", "the ghost text of the empty composer is missing")
    : answer("empty", "the composer is empty, the cursor at its start");
}

/** First and last column of what is drawn, up to two blanks, where a sidebar may begin; the whole row where nothing is. */
function extent(row: readonly Cell[]): { left: number; right: number } {
  const left = row.findIndex(visible);
  if (left < 0) return { left: 0, right: row.length - 1 };
  const gap = row.findIndex((cell, x) =>
    x > left && !visible(cell) && row[x + 1] !== undefined && !visible(row[x + 1])
  );
  return { left, right: gap < 0 ? row.length - 1 : gap - 1 };
}

/** The first cell drawn in reverse, or the caret. */
function blockIn(rows: readonly (readonly Cell[])[], first: number, caret?: string): { x: number; y: number } | null {
  for (const [y, row] of rows.entries()) {
    const x = row.findIndex((cell) => cell.style.reverse || cell.text === caret);
    if (x >= 0) return { x, y: first + y };
  }
  return null;
}

/** The columns that the first `length` characters of the cells' text take. */
function columnsOf(cells: readonly Cell[], length: number): number {
  let read = 0;
  let column = 0;
  while (read < length && column < cells.length) read += cells[column++].text.length;
  return column;
}

function visible(cell: Cell): boolean {
  return squeeze(cell.text).trim() !== "";
}

/** Without the characters that take no place. */
function squeeze(text: string): string {
  return text.replace(/[\u200b-\u200f\u2060\ufeff]/g, "");
}

function bare(text: string): string {
  return squeeze(text).replace(/\s+/g, "");
}

function looks(style: Style, ghost: Partial<Style>): boolean {
  return Object.entries(ghost).every(([name, value]) => style[name as keyof Style] === value);
}
