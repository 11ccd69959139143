/** Signs of a question or a list, in whatever agent, where the composer is missing. */

/** A selected entry, numbered or not, and the keys that a dialog names. */
const SELECTED = /^[\s│┃|]*[❯›➤●▸☺>]\s+\S/u;
const NUMBERED = /^[\s│┃|]*[❯›➤●▸>]\s*\d+[.)]\s/u;
const ENTRY = /^[\s│┃|]{2,}\S/u;
const KEYS =
  /(?:\b(?:enter|return|esc|escape|tab|space|ctrl[+-]\w)\b|[↑↓←→]\/?[↑↓←→])(?:\/\w+)?[ :]*(?:to )?(?:go )?(?:select|confirm|cancel|close|continue|navigate|dismiss|submit|search|resume|open|switch|exit|accept|back|scroll|save|use|browse|choose)/iu;
const BUTTONS = /\[y\]|\(y\/n\)|\[y\/n\]/i;

/** The row that shows an open menu; `null` where there is none. */
export function menuRow(lines: readonly string[]): string | null {
  const row = lines.findLast((line, y) =>
    NUMBERED.test(line) || KEYS.test(line) || BUTTONS.test(line) ||
    (SELECTED.test(line) && (ENTRY.test(lines[y + 1] ?? "") || ENTRY.test(lines[y - 1] ?? "")))
  );
  return row === undefined ? null : row.trim();
}
