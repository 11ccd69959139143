/** What a topic of the benchmark reports, and how two things are measured side by side. */

/** One thing that was measured, beside the least that the system needs for it. */
export interface Row {
  /** What the library did, with the size: `"drain, 10k waiting"`. */
  readonly what: string;
  readonly measured: number;
  /** The same with bare calls, measured in the same run. */
  readonly limit: number;
  readonly unit: string;
  /** What the bare calls were. */
  readonly limitIs: string;
}

/** A number that is wanted to be at most `most`; whether it is, is printed and never asserted. */
export interface Target {
  readonly what: string;
  readonly measured: number;
  readonly most: number;
  readonly unit: string;
}

/** What a topic found. */
export interface Report {
  readonly rows: readonly Row[];
  readonly targets: readonly Target[];
}

/** One topic: small sizes and few rounds when `quick`. */
export type Topic = (quick: boolean) => Promise<Report>;

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Milliseconds that `work` took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Medians of two measurements taken in turn, so that a busy minute of the machine meets both. The first round warms up and
 * does not count; who goes first changes with every round.
 */
export async function sideBySide(
  rounds: number,
  library: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<{ measured: number; limit: number }> {
  const measured: number[] = [];
  const limit: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const both = [async () => measured.push(await library()), async () => limit.push(await bare())];
    for (const one of round % 2 === 0 ? both : both.reverse()) await one();
  }
  return { measured: median(measured.slice(1)), limit: median(limit.slice(1)) };
}

/** `10`, `1k`, `100k`. */
export function short(count: number): string {
  return count >= 1000 ? `${count / 1000}k` : String(count);
}
