/** The body of `deaddrop probe --screens DIR`: judges every recorded pane of a folder and counts how often that was right. */
import { judge, type PaneState } from "../pane/judge.ts";
import type { Profile } from "../pane/profile.ts";
import { isRight, readRecorded } from "../pane/recorded.ts";
import { columns } from "./columns.ts";

/** One recorded pane and what it was taken for. */
export interface ScreenRow {
  readonly ansi: string;
  readonly state: PaneState;
  readonly agent: string | null;
  readonly evidence: readonly string[];
}

/** A share, and what it is a share of. */
export interface Share {
  readonly right: number;
  readonly of: number;
}

/** How often the judgements were right. */
export interface ScreenTable {
  /** For each label of the index, how often each state was given. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The panes that are not idle and were called idle; must be empty. */
  readonly falselyIdle: readonly string[];
  /** The panes whose state the index does not accept. */
  readonly wrong: readonly string[];
  /** Of the idle panes, how many were called idle, by size. */
  readonly idleBySize: Readonly<Record<string, Share>>;
  /** Of the panes in which an agent has the keys, how many times it was recognised. */
  readonly agents: Share;
}

/** What `--json` prints. */
export interface ScreenReport {
  readonly rows: readonly ScreenRow[];
  readonly table: ScreenTable;
}

/** The labels under which an agent has the keys. */
const WITH_AGENT = /^(?!shell$)/;

/**
 * Judges the recorded panes of a folder. Requires `--allow-read` for it.
 *
 * @param dir A folder with an `index.json`.
 * @param profiles The agents that are known.
 * @throws {Deno.errors.NotFound} when the index or a capture is missing.
 */
export async function probeScreens(dir: string, profiles: readonly Profile[]): Promise<ScreenReport> {
  const rows: ScreenRow[] = [];
  const confusion: Record<string, Record<string, number>> = {};
  const falselyIdle: string[] = [];
  const wrong: string[] = [];
  const idleBySize: Record<string, { right: number; of: number }> = {};
  const agents = { right: 0, of: 0 };
  for (const { entry, facts, screen } of await readRecorded(dir)) {
    const { state, agent, evidence } = judge(facts, screen, profiles);
    const { ansi, expected, accept } = entry;
    rows.push({ ansi, state, agent, evidence });
    confusion[expected] ??= {};
    confusion[expected][state] = (confusion[expected][state] ?? 0) + 1;
    if (state === "idle" && !accept.includes("idle")) falselyIdle.push(ansi);
    if (!isRight(state, entry)) wrong.push(ansi);
    if (expected === "idle") add(idleBySize[entry.size.join("x")] ??= { right: 0, of: 0 }, state === "idle");
    if (WITH_AGENT.test(expected) && entry.agent !== "none") add(agents, agent === entry.agent);
  }
  return { rows, table: { confusion, falselyIdle, wrong, idleBySize, agents } };
}

/** A report as people read it. */
export function screenText({ rows, table }: ScreenReport): string {
  const states = [...new Set(rows.map(({ state }) => state))].sort();
  const share = ({ right, of }: Share) => `${right} of ${of}`;
  return columns([
    ["label", ...states],
    ...Object.entries(table.confusion).map((
      [label, counts],
    ) => [label, ...states.map((state) => String(counts[state] ?? "-"))]),
  ]) + "\n" + columns([
    ["called idle, but is not", String(table.falselyIdle.length), table.falselyIdle.join(" ")],
    ["not accepted by the index", String(table.wrong.length), table.wrong.join(" ")],
    ...Object.entries(table.idleBySize).map(([size, of]) => [`idle seen at ${size}`, share(of), ""]),
    ["agent recognised", share(table.agents), ""],
  ]);
}

function add(share: { right: number; of: number }, right: boolean): void {
  share.of++;
  if (right) share.right++;
}
