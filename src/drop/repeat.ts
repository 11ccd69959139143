import type { Host } from "./host.ts";

/**
 * Runs `work` every `ms` milliseconds until stopped; a failing run is skipped, since a missed heartbeat must not stop what
 * it stands for.
 */
export function repeat(host: Host, ms: number, work: () => Promise<void>): { stop(): void } {
  const stopped = new AbortController();
  (async () => {
    while (true) {
      await host.clock.sleep(ms, stopped.signal);
      await work().catch(() => {});
    }
  })().catch(() => {}); // the sleep ends with the abort
  return { stop: () => stopped.abort() };
}
