/** Dialogs as Claude Code 2.1 draws them; all but the survey stand in the place of the input box. */
import type { Input } from "./input.ts";
import type { Happening, MenuName } from "./script.ts";
import { BLUE, BOLD, GREY, paint, STRONG } from "./paint.ts";

/** An open dialog. */
export interface Menu {
  readonly name: MenuName;
  /** Number of the selected entry. */
  selected: number;
}

/** How many entries can be picked by number. */
const ENTRIES: Readonly<Record<MenuName, number>> = { permission: 3, question: 2, survey: 3 };

/** What an input does to a dialog; `null` where it is not for it: only the survey leaves keys to the input box. */
export function choose(menu: Menu, input: Input, emptyBox: boolean): Happening | "moved" | null {
  const { name } = menu;
  const key = input.kind === "key" ? input.name : null;
  if (key === "escape") return { event: "dismissed", menu: name };
  const digit = input.kind === "text" && emptyBox && /^\d$/.test(input.text) ? Number(input.text) : ENTRIES[name] + 1;
  if (digit <= ENTRIES[name]) return { event: "answered", menu: name, answer: digit };
  if (name === "survey") return null;
  if (key === "enter") return { event: "answered", menu: name, answer: menu.selected };
  if (key !== "up" && key !== "down") {
    return { event: "swallowed", menu: name, text: input.kind === "key" ? input.name : input.text };
  }
  menu.selected = Math.min(ENTRIES[name], Math.max(1, menu.selected + (key === "up" ? -1 : 1)));
  return "moved";
}

/** The rows of a dialog, without the rule above it. */
export function menuRows({ name, selected }: Menu, columns: number): string[] {
  const entry = (number: number, text: string, indent: string) =>
    number === selected
      ? `${indent}${paint(BLUE, "❯")} ${paint(GREY, `${number}.`)} ${paint(BLUE, text)}`
      : `${indent}  ${paint(GREY, `${number}.`)} ${text}`;
  switch (name) {
    case "permission":
      return [
        ` ${paint(BOLD + BLUE, "Bash command")}`,
        "",
        "   touch probe.txt",
        `   ${paint(GREY, "Run the probe command")}`,
        "",
        " Do you want to proceed?",
        entry(1, "Yes", " "),
        entry(2, "Yes, and always allow access to this project", " "),
        entry(3, "No", " "),
        "",
        ` ${paint(GREY, "Esc to cancel · Tab to amend · ctrl+e to explain")}`,
      ];
    case "question":
      return [
        paint("\x1b[38;5;16;48;5;153m", " ☐ Database "),
        "",
        paint(BOLD + STRONG, "Which database should we use?"),
        "",
        entry(1, "Postgres", ""),
        `     ${paint(GREY, "Relational")}`,
        entry(2, "SQLite", ""),
        `     ${paint(GREY, "Embedded")}`,
        paint(GREY, "─".repeat(columns)),
        "",
        paint(GREY, "Enter to select · ↑/↓ to navigate · Esc to cancel"),
      ];
    case "survey":
      return [
        `${paint(BLUE, "●")} ${paint(BOLD, "How is Claude doing this session? (optional)")}`,
        "  1: Bad    2: Fine   3: Good   0: Dismiss",
      ];
  }
}
