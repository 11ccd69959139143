/**
 * A captured pane as rows of cells with styles. Pure: no multiplexer in it, and nothing a program can print makes it throw.
 */
import { PLAIN, restyle, type Style } from "./style.ts";
import { widthOf } from "./width.ts";

export type { Colour, Style } from "./style.ts";

/** One cell: its character with the marks that join it; empty in the right half of a wide character. */
export interface Cell {
  readonly text: string;
  readonly style: Style;
}

/** A pane's visible rows. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** `rows` rows of exactly `columns` cells. */
  readonly cells: readonly (readonly Cell[])[];
  /** The text of each row, without the blanks at its end. */
  readonly lines: readonly string[];
}

const BLANK: Cell = { text: " ", style: PLAIN };

/** Escape sequences; only the first kind is a style. */
const ESCAPE = new RegExp(
  [
    String.raw`\x1b\[([0-9;:]*)m`,
    // any other CSI; then titles, links and the like up to their end
    String.raw`\x1b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)`,
    // character sets; other pairs; what was cut off at the row's end
    String.raw`\x1b[()*+\-./][0-~]`,
    String.raw`\x1b[ -~]?(?:[0-?]*[ -/]*$)?`,
  ].join("|"),
  "y",
);

/**
 * Reads what `tmux capture-pane -p -e` printed. Styles run on from row to row, as tmux prints them.
 *
 * Rows and columns beyond the size are dropped, missing ones are blank; escape sequences that are not styles, half ones
 * and control characters are skipped. Never throws.
 *
 * @param ansi The capture, rows ended by line feeds.
 * @param columns The pane's width in cells.
 * @param rows The pane's height in cells.
 *
 * @example
 * ```ts
 * import { parseScreen } from "./screen.ts";
 * const screen = parseScreen("\x1b[2mghost\x1b[0m text", 20, 2);
 * console.log(screen.lines[0], screen.cells[0][0].style.dim); // ghost text true
 * ```
 */
export function parseScreen(ansi: string, columns: number, rows: number): Screen {
  let style = PLAIN;
  const cells: Cell[][] = [];
  for (const line of ansi.split("\n", rows)) {
    const row: Cell[] = [];
    style = readRow(line, style, columns, row);
    while (row.length < columns) row.push(BLANK);
    cells.push(row);
  }
  while (cells.length < rows) cells.push(Array.from({ length: columns }, () => BLANK));
  return { columns, rows, cells, lines: cells.map((row) => textOf(row).trimEnd()) };
}

/** The text of cells. */
export function textOf(cells: readonly Cell[]): string {
  return cells.map((cell) => cell.text).join("");
}

/** Reads one row into `row` and returns the style at its end. */
function readRow(line: string, start: Style, columns: number, row: Cell[]): Style {
  let style = start;
  let joins = false;
  for (let i = 0; i < line.length;) {
    const character = String.fromCodePoint(line.codePointAt(i)!);
    if (character === "\x1b") {
      ESCAPE.lastIndex = i;
      const match = ESCAPE.exec(line);
      if (match?.[1] !== undefined) style = restyle(style, match[1]);
      i += match?.[0].length || 1;
      continue;
    }
    i += character.length;
    if (character === "\t") { do row.push({ text: " ", style }); while (row.length % 8 !== 0); }
    else if (/\p{Cc}/u.test(character)) continue;
    else if (joins || widthOf(character) === 0) append(row, character);
    else {
      row.push({ text: character, style });
      if (widthOf(character) === 2) row.push({ text: "", style });
    }
    joins = character === "\u200d";
  }
  row.length = Math.min(row.length, columns);
  return style;
}

/** Adds a mark that takes no column to the last character. */
function append(row: Cell[], mark: string): void {
  if (row.length === 0) return;
  const at = row.at(-1)!.text === "" && row.length > 1 ? row.length - 2 : row.length - 1;
  row[at] = { ...row[at], text: row[at].text + mark };
}
