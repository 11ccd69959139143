import { type Answer, value } from "./answer.ts";
import type { PaneFacts } from "./facts.ts";
import type { CallOptions, Multiplexer, PaneLook, PaneRef } from "./multiplexer.ts";
import { type ProcessTable, processTrees } from "./process_tree.ts";

/** A live pane at one moment: all that a judge of it may know. */
export interface PaneSnapshot extends Omit<PaneLook, "facts"> {
  readonly facts: PaneFacts;
}

/**
 * Facts and screens of panes, in the order asked for. The screen comes first and the processes right after it, so an agent
 * that ends in between is seen as gone and never as there.
 *
 * Requires what the multiplexer and the process table require.
 *
 * @throws the signal's reason when it aborts.
 */
export async function paneFacts(
  multiplexer: Multiplexer,
  table: ProcessTable,
  panes: readonly PaneRef[],
  options?: CallOptions,
): Promise<Answer<PaneSnapshot>[]> {
  const looks = await multiplexer.look(panes, options);
  const seen = looks.flatMap((look) => look.ok ? [look.value.pid] : []);
  const trees = seen.length === 0 ? [] : await processTrees(table, seen);
  return looks.map((look) => {
    if (!look.ok) return look;
    return value({ ...look.value, facts: { ...look.value.facts, processes: trees.shift() ?? [] } });
  });
}
