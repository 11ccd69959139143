/** The parts of a screen around a composer, as texts that a profile's patterns are for. */
import type { Frame } from "./composer.ts";
import type { PaneFacts } from "./facts.ts";
import type { Region, Rule } from "./profile.ts";
import type { Screen } from "./screen.ts";

/** Text of each region; rows are joined by line feeds. */
export type Regions = Readonly<Record<Region, string>>;

/** Cuts a screen into regions; without a composer there are only its title and its rows. */
export function regionsOf(
  screen: Screen,
  { title }: Pick<PaneFacts, "title">,
  frame: Frame | null,
  headColumn = 0,
): Regions {
  const all = {
    title,
    head: "",
    above: "",
    hint: "",
    label: "",
    status: "",
    footer: "",
    screen: screen.lines.join("\n"),
  };
  if (frame === null) return all;
  const above = screen.lines.slice(0, frame.first - 1).map(withoutScrollbar);
  const footer = screen.lines.slice(frame.bottom + 1).filter((line) => line.trim() !== "");
  return {
    ...all,
    head: above.findLast((line) => line.trim() !== "" && line.search(/\S/) <= headColumn) ?? "",
    above: above.join("\n"),
    hint: hintOf(above),
    label: frame.label,
    status: footer[0] ?? "",
    footer: footer.join("\n"),
  };
}

/** True when a rule's pattern is found in its region, or regions. */
export function holds(rule: Rule, regions: Regions): boolean {
  const text = Array.isArray(rule.in) ? rule.in.map((name) => regions[name]).join("\n") : regions[rule.in];
  return rule.match.test(text);
}

/** The rows that touch the composer; where they reach the pane's edge, nobody knows what stands above them. */
function hintOf(above: readonly string[]): string {
  const blank = above.findLastIndex((line) => line === "");
  return [...(blank < 0 ? ["(cut off)"] : []), ...above.slice(blank + 1)].join("\n");
}

function withoutScrollbar(line: string): string {
  return line.replace(/ [│┃█▄▀▐]$/, "").trimEnd();
}
