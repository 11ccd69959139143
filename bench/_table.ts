import type { Report, Row, Target } from "./_measure.ts";

/** What was measured, as text for people. */

function digits(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

/** Columns padded to their widest cell; all but the first and last to the right. */
function columns(lines: readonly (readonly string[])[]): string {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const pad = (cell: string, column: number) => {
    const left = column === 0 || column === widths.length - 1;
    return left ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  };
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

/** Whether a target is met. */
export function verdict({ measured, most }: Target): "reached" | "missed" {
  return measured <= most ? "reached" : "missed";
}

function row({ what, measured, limit, unit, limitIs }: Row): string[] {
  return [what, digits(measured), digits(limit), unit, `${digits(measured / limit)} ×`, limitIs];
}

function target(each: Target): string[] {
  return [each.what, digits(each.measured), `≤ ${each.most}`, each.unit, verdict(each)];
}

/** The rows of one topic. */
export function rowTable({ rows }: Report): string {
  return columns([["measure", "here", "limit", "unit", "ratio", "the limit is"], ...rows.map(row)]);
}

/** Every target, and whether it is met. */
export function targetTable(targets: readonly Target[]): string {
  return columns([["target", "measured", "wanted", "unit", ""], ...targets.map(target)]);
}
