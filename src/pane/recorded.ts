/**
 * Recorded panes: a folder with captures and an `index.json` that says for each what tmux knew and which label is right. A
 * recorded pane gives the same facts as a live one.
 */
import * as v from "valibot";
import type { PaneFacts } from "./facts.ts";
import type { PaneState } from "./judge.ts";
import { parseScreen, type Screen } from "./screen.ts";

/** The labels of an index: the words of whoever recorded it. */
export type Label = "idle" | "busy" | "modal" | "typing" | "shell";

const entry = v.object({
  agent: v.string(),
  version: v.optional(v.string(), ""),
  state: v.string(),
  expected: v.string(),
  accept: v.array(v.string()),
  size: v.tuple([v.number(), v.number()]),
  cursor: v.object({ x: v.number(), y: v.number(), visible: v.boolean() }),
  ansi: v.string(),
  pane_current_command: v.string(),
  pane_in_mode: v.optional(v.number(), 0),
  pane_mode: v.optional(v.string(), ""),
  alternate_on: v.optional(v.boolean(), false),
  mouse_any_flag: v.optional(v.boolean(), false),
  pane_title: v.optional(v.string(), ""),
  process_tree: v.array(v.object({ depth: v.number(), comm: v.string(), argv: v.optional(v.array(v.string()), []) })),
});

/** One row of the index. */
export type Entry = v.InferOutput<typeof entry>;

/** A recorded pane. */
export interface Recorded {
  readonly entry: Entry;
  readonly facts: PaneFacts;
  readonly screen: Screen;
}

/**
 * Reads every pane of a folder, in the order of its index. Requires `--allow-read` for the folder.
 *
 * @param dir The folder with `index.json`.
 * @throws {Deno.errors.NotFound} when the index or a capture is missing.
 * @throws {v.ValiError} when the index has not the form of one.
 */
export async function readRecorded(dir: string | URL): Promise<Recorded[]> {
  const root = dir instanceof URL ? dir.href : new URL(`file://${await Deno.realPath(dir)}`).href;
  const file = (name: string) => new URL(name.split("/").map(encodeURIComponent).join("/"), root.replace(/\/*$/, "/"));
  const entries = v.parse(v.array(entry), JSON.parse(await Deno.readTextFile(file("index.json"))));
  return await Promise.all(entries.map(async (entry) => recorded(entry, await Deno.readTextFile(file(entry.ansi)))));
}

/** The pane that an index entry and its capture describe. */
export function recorded(entry: Entry, ansi: string): Recorded {
  const [columns, rows] = entry.size;
  return {
    entry,
    screen: parseScreen(ansi, columns, rows),
    facts: {
      columns,
      rows,
      cursor: entry.cursor,
      title: entry.pane_title,
      command: entry.pane_current_command,
      mode: entry.pane_mode || (entry.pane_in_mode > 0 ? "copy-mode" : ""),
      alternateScreen: entry.alternate_on,
      mouse: entry.mouse_any_flag,
      dead: false,
      inputOff: false,
      synchronized: false,
      processes: entry.process_tree.map((process) => ({ ...process, pid: null, foreground: null })),
    },
  };
}

/**
 * The label that stands for a state in an index. It knows no copy mode (labelled `modal`), and says `shell` where no agent
 * has the keys; nothing stands for an unknown screen, which is never right and never idle.
 */
const LABELS: Readonly<Record<PaneState, Label | null>> = {
  idle: "idle",
  busy: "busy",
  modal: "modal",
  draft: "typing",
  scrolled: "modal",
  shell: "shell",
  gone: "shell",
  "unknown-screen": null,
};

/** True when a state is what the index accepts. */
export function isRight(state: PaneState, { accept }: Pick<Entry, "accept">): boolean {
  const label = LABELS[state];
  return label !== null && accept.includes(label);
}
