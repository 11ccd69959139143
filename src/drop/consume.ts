import { ChangeWaiter, RELIST_MS, type WaitOptions } from "./change.ts";
import { look, take, type Taken, type TakeOptions, waiting } from "./drop.ts";
import type { Host } from "./host.ts";

/** Draining directories: one listing, then every drop of it, then a wait. */

/** Options of {@linkcode consume}. */
export interface ConsumeOptions extends TakeOptions, WaitOptions {}

/** A drop in the caller's hands until its `ack` or `putBack`, and the directory it came from. */
export interface Consumed extends Taken {
  readonly dir: string;
}

/** What one directory showed at the last look. */
interface Seen {
  /** Visible names that were not taken. A reader that removes nothing keeps its cursor here: each name is offered once. */
  names: ReadonlySet<string>;
  /** Claims of others: one may turn out to be abandoned without any change in the directory. */
  claims: number;
}

/**
 * Takes drops from `dirs` as they come, without end. `"idle"` stands for a wait that ended because a directory shows other
 * names than before, and comes ahead of the drops among them.
 *
 * An entry that cannot be read is reported once and tried again no sooner than {@linkcode RELIST_MS} later, so that a
 * cloud placeholder does not cause a storm of reads.
 */
export async function* consume(
  host: Host,
  dirs: readonly string[],
  options: ConsumeOptions,
): AsyncGenerator<Consumed | "idle"> {
  const remove = options.delete ?? true;
  const state = new Map<string, Seen>();
  const retryAt = new Map<string, number>();
  const takeOptions: TakeOptions = {
    ...options,
    onSkip(skipped) {
      if (!retryAt.has(skipped.path)) options.onSkip?.(skipped);
      retryAt.set(skipped.path, host.clock.monotonic() + RELIST_MS);
    },
  };
  using changes = new ChangeWaiter(`a drop in ${dirs.join(", ")}`, dirs, { ...options, host });
  while (true) {
    const due = await changes.next([...state.values()].some((seen) => seen.claims > 0));
    const batches: { dir: string; names: string[]; claims: string[]; before?: Seen }[] = [];
    for (const dir of due) batches.push({ dir, ...await waiting(host, dir), before: state.get(dir) });
    const changed = batches.some(({ names, before }) => before !== undefined && differs(names, before.names));
    for (const { dir, names, claims } of batches) {
      if (!remove) state.set(dir, { names: new Set(names), claims: 0 });
      else state.set(dir, { names: new Set(names), claims: claims.length });
    }
    if (changed) yield "idle";
    for (const { dir, names, claims, before } of batches) {
      const left = new Set(names);
      for (const name of remove ? [...claims, ...names] : names.filter((each) => !before?.names.has(each))) {
        options.signal?.throwIfAborted();
        if (host.clock.monotonic() < (retryAt.get(`${dir}/${name}`) ?? 0)) continue;
        const taken = await (remove ? take : look)(host, dir, name, takeOptions);
        if (taken === null) continue;
        if (remove) left.delete(taken.drop.name);
        state.set(dir, { names: left, claims: claims.length });
        yield { ...taken, dir };
      }
    }
  }
}

function differs(names: readonly string[], before: ReadonlySet<string>): boolean {
  return names.length !== before.size || names.some((name) => !before.has(name));
}
