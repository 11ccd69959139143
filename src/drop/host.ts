/**
 * What the library needs from the machine: a file system, a clock, chance and the name of this boot.
 * Everything else in `src/drop` reaches them through a {@linkcode Host}, so that a test can pass one whose
 * faults are options. {@linkcode denoHost} is the real one.
 */

/** The slice of `Deno` that touches files; a fake overrides the calls that should fail. */
export type Fs = Pick<
  typeof Deno,
  | "chmod"
  | "link"
  | "lstat"
  | "mkdir"
  | "open"
  | "readDir"
  | "remove"
  | "rename"
  | "utime"
  | "watchFs"
>;

/** Time, in milliseconds. */
export interface Clock {
  /** Wall clock, milliseconds since 1970, with a fraction where the platform has one. For names and display. */
  now(): number;
  /** A clock that never goes back, milliseconds since some start. For measuring waits. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with `signal.reason` when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine as the library sees it. */
export interface Host {
  /** Its files. */
  readonly fs: Fs;
  /** Its time. */
  readonly clock: Clock;
  /** `count` random bytes. */
  random(count: number): Uint8Array<ArrayBuffer>;
  /**
   * Eight hex digits that are the same for every process on this kernel since it booted, or `null` where that cannot
   * be read (other systems, and programs without all permissions). Two processes with the same tag can trust each other's
   * file locks.
   */
  bootTag(): Promise<string | null>;
}

/** Option shared by every function that can be given another machine. */
export interface HostOption {
  /** The machine to work on; tests pass one with faults. @default {denoHost} */
  readonly host?: Host;
}

/** Timers of JavaScript hold 31 bits (24 days) and fire at once beyond. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, Math.min(ms, MAX_SLEEP_MS));
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** The performance clock is finer than the wall clock but does not follow corrections of it; past this gap (ms) it is not used. */
const CLOCK_DRIFT_MS = 2;

const denoClock: Clock = {
  now() {
    const wall = Date.now();
    const fine = performance.timeOrigin + performance.now();
    return Math.abs(fine - wall) < CLOCK_DRIFT_MS ? fine : wall;
  },
  monotonic: () => performance.now(),
  sleep,
};

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
let bootTag: Promise<string | null> | undefined;

/** True when `descriptor` is already granted; asking this way never opens a prompt on the terminal. */
export function granted(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

async function readBootTag(): Promise<string | null> {
  if (!granted({ name: "read", path: BOOT_ID })) return null;
  try {
    return (await Deno.readTextFile(BOOT_ID)).slice(0, 8);
  } catch {
    return null; // locks of other processes are then not trusted, leases alone decide
  }
}

/** This machine, through `Deno`. */
export const denoHost: Host = {
  fs: Deno,
  clock: denoClock,
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  bootTag: () => bootTag ??= readBootTag(),
};

/** `count` random bytes as lower-case hex. */
export function randomHex(host: Host, count: number): string {
  return Array.from(host.random(count), (b) => b.toString(16).padStart(2, "0")).join("");
}
