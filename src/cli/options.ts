import { refused } from "./exit.ts";

/** Parsers of option values; a bad one is refused with the option, the value and what is wanted. */

function numberOf(flag: string, value: string, wanted: string, fits: (value: number) => boolean): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number) && fits(number)) return number;
  throw refused(`Cannot use ${JSON.stringify(value)} as ${flag}: give ${wanted}`);
}

/** Milliseconds between two looks: at least one, at most an hour. */
export function pollMs(value: string): number {
  return numberOf("--poll-ms", value, "milliseconds from 1 to 3600000", (ms) => ms >= 1 && ms <= 3_600_000);
}

/** `--timeout` and the like: seconds on the command line, milliseconds inside. */
export function seconds(flag: string): (value: string) => number {
  return (value) => numberOf(flag, value, "seconds, such as 30 or 0.5", (number) => number >= 0) * 1000;
}

/** A whole number above zero. */
export function count(flag: string): (value: string) => number {
  return (value) => numberOf(flag, value, "a whole number above 0", (number) => Number.isInteger(number) && number > 0);
}

/** `a,b`. */
export function commaList(value: string): string[] {
  return value.split(",").map((each) => each.trim()).filter((each) => each !== "");
}

/** Collects an option that may stand several times. */
export function repeated(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
