import { median, percentile, type Report, type Row, sideBySide, type Target, timed } from "./_measure.ts";
import { paneFacts } from "../src/pane/pane_facts.ts";
import type { Multiplexer, PaneRef } from "../src/pane/multiplexer.ts";
import { processTable } from "../src/pane/process_tree.ts";
import { openTmux } from "../src/pane/tmux.ts";
import { TestServer } from "../tests/tmux_server.ts";

/** The pane: what one question costs over the control client, beside a process per call. */

const PANES = 50;

async function refs(multiplexer: Multiplexer): Promise<PaneRef[]> {
  const list = await multiplexer.list();
  if (!list.ok) throw new Error(list.message);
  return list.value.panes.map((pane) => pane.ref);
}

async function look(multiplexer: Multiplexer, panes: readonly PaneRef[]): Promise<void> {
  for (const look of await multiplexer.look(panes)) if (!look.ok) throw new Error(look.message);
}

/** Facts and screens of one pane and of many, with and without the processes under them. */
export async function paneTopic(quick: boolean): Promise<Report> {
  await using server = new TestServer();
  for (let pane = 0; pane < PANES; pane++) await server.session(`cell-${pane}`, "exec sleep 1000");
  const socket = { name: server.name };
  await using control = openTmux({ socket });
  await using processes = openTmux({ socket, control: false });
  const panes = await refs(control);
  const table = processTable();
  const limitIs = "a tmux process per call";
  const rounds = quick ? 5 : 21;
  const rows: Row[] = [];
  const add = async (what: string, count: number, ask: (multiplexer: Multiplexer) => Promise<unknown>) => {
    const times = await sideBySide(count, () => timed(() => ask(control)), () => timed(() => ask(processes)));
    rows.push({ what, ...times, unit: "ms", limitIs });
  };
  await add("pane, one question: its screen and facts", rounds * 5, (tmux) => look(tmux, panes.slice(0, 1)));
  await add("pane, facts of one, with its processes", rounds, (tmux) => paneFacts(tmux, table, panes.slice(0, 1)));
  await add(`pane, facts of ${PANES}, with their processes`, rounds, (tmux) => paneFacts(tmux, table, panes));
  await add(`pane, list of ${PANES}`, rounds, (tmux) => tmux.list());
  const singles: number[] = [];
  for (let round = 0; round < rounds * 20; round++) singles.push(await timed(() => look(control, panes.slice(0, 1))));
  const targets: Target[] = [
    { what: "pane, one control-mode question, median", measured: median(singles), most: 1, unit: "ms" },
    { what: "pane, one control-mode question, p99", measured: percentile(singles, 0.99), most: 5, unit: "ms" },
  ];
  return { rows, targets };
}
