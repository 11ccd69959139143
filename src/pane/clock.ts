import { unlessAborted } from "./deadline.ts";

/** Time as the pane room needs it; a test passes one that does not wait. */
export interface PaneClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's own reason when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** This machine's time. */
export const systemClock: PaneClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await unlessAborted(new Promise<void>((resolve) => timer = setTimeout(resolve, ms)), signal);
    } finally {
      clearTimeout(timer);
    }
  },
};
