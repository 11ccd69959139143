import type { Host } from "./host.ts";

/**
 * Runs `work` every `ms` milliseconds until stopped; a failing run is skipped, since a missed heartbeat must not stop what
 * it stands for. `stop` resolves when no run is under way any more.
 */
export function repeat(host: Host, ms: number, work: () => Promise<void>): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const running = (async () => {
    while (true) {
      await host.clock.sleep(ms, stopped.signal);
      await work().catch(() => {});
    }
  })().catch(() => {}); // the sleep ends with the abort
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}
