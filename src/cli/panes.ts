import type { Verdict } from "../pane/judge.ts";
import type { ListedPane } from "../pane/multiplexer.ts";
import { columns } from "./columns.ts";
import { CliError, EXIT } from "./exit.ts";
import { interrupted } from "./interrupt.ts";
import { example, type Program } from "./program.ts";
import { printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `panes`: every pane of a tmux server, which agent runs in it, what it is doing, and why we think so. */
export function addPanes(program: Program) {
  program.command("panes")
    .description("list the panes of a tmux server: which agent, which state at this moment, why")
    .option("--socket <name>", "the server: a name or a path (default: this shell's own, else tmux's default)")
    .addHelpText("after", example("deaddrop panes"))
    .action(async (_, command) => {
      const { json, socket } = command.optsWithGlobals();
      const { profilesOf, socketOf } = await import("./pane_place.ts");
      const { openTmux } = await import("../pane/tmux.ts");
      const { paneFacts } = await import("../pane/pane_facts.ts");
      const { processTable } = await import("../pane/process_tree.ts");
      const { judge } = await import("../pane/judge.ts");
      const { parseScreen } = await import("../pane/screen.ts");
      const profiles = await profilesOf();
      await using tmux = openTmux({ socket: socketOf(socket) });
      const list = await tmux.list({ signal: interrupted });
      if (!list.ok) throw new CliError(EXIT.failed, `Cannot list panes on ${tmux.address}: ${list.message}`);
      const { panes } = list.value;
      const snapshots = await paneFacts(tmux, processTable(), panes.map(({ ref }) => ref), { signal: interrupted });
      const rows = panes.map((pane, i) => {
        const snapshot = snapshots[i];
        if (!snapshot.ok) return row(pane, { state: "gone", agent: null, evidence: [snapshot.message] });
        const { facts, ansi } = snapshot.value;
        return row(pane, judge(facts, parseScreen(ansi, facts.columns, facts.rows), profiles));
      });
      await (json ? printJson(rows) : print(table(rows)));
    });
}

function row(
  { ref, places, cell }: ListedPane,
  { state, agent, evidence }: Pick<Verdict, "state" | "agent" | "evidence">,
) {
  const [{ session, windowIndex, paneIndex }] = places;
  return { pane: ref.target, place: `${session}:${windowIndex}.${paneIndex}`, cell, agent, state, evidence };
}

function table(rows: readonly ReturnType<typeof row>[]): string {
  return columns(rows.map(({ pane, place, cell, agent, state, evidence }) => [
    pane,
    printable(place),
    printable(cell ?? "-"),
    agent ?? "-",
    state,
    printable(evidence.at(-1) ?? ""),
  ]));
}
