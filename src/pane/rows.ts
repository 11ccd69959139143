/**
 * Values read back from a multiplexer. A title, a path or a name may hold any character, and a screen any line, so the
 * separators carry a nonce of the very call: what a pane shows cannot contain them, and what comes back without them is
 * not the answer.
 */

/** Sixteen random hex digits. */
export function newNonce(): string {
  return crypto.getRandomValues(new BigUint64Array(1))[0].toString(16).padStart(16, "0");
}

const between = (nonce: string) => `|${nonce}|`;
const after = (nonce: string) => `|${nonce}.`;

/** The format string that prints `fields` as one row. */
export function rowFormat(fields: readonly string[], nonce: string): string {
  return fields.map((field) => `#{${field}}`).join(between(nonce)) + after(nonce);
}

/** A line that stands for itself, to end a part of an answer with. */
export function endLine(nonce: string): string {
  return `|${nonce}!`;
}

/** The parts of a text that were each ended with {@linkcode endLine}; `null` when there are not `count` of them. */
export function parseParts(text: string, count: number, nonce: string): string[] | null {
  const parts = text.split(`${endLine(nonce)}\n`);
  return parts.pop() === "" && parts.length === count ? parts : null;
}

/** The rows of a text that holds nothing else, by field name; `null` when one is short, long or without its end. */
export function parseRows<F extends string>(
  text: string,
  fields: readonly F[],
  nonce: string,
): Record<F, string>[] | null {
  const rows = text.split(`${after(nonce)}\n`);
  if (rows.pop() !== "") return null;
  const parsed: Record<F, string>[] = [];
  for (const row of rows) {
    const values = row.split(between(nonce));
    if (values.length !== fields.length) return null;
    parsed.push(Object.fromEntries(fields.map((field, index) => [field, values[index]])) as Record<F, string>);
  }
  return parsed;
}

/** A whole number from 0; `null` for anything else, the empty text too. */
export function parseCount(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
