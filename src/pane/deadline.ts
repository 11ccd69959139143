/** The outcome of `work`, unless `signal` aborts first; the work itself goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}

/** A time by which all the steps of a call together have to be done. */
export class Deadline {
  /** Milliseconds that there were at the start. */
  readonly ms: number;
  readonly #end: number;

  /** @param ms Milliseconds from now. */
  constructor(ms: number) {
    this.ms = ms;
    this.#end = performance.now() + ms;
  }

  /** Milliseconds that are left, 0 when there are none. */
  left(): number {
    return Math.max(0, this.#end - performance.now());
  }
}
