/** How many columns a character takes in a terminal. */

/** Marks that join the character before them: combining marks, joiners, variation selectors, zero-width spaces. */
const ZERO = /^[\p{Mn}\p{Me}\u200b-\u200f\u2060\ufeff\ufe00-\ufe0f]/u;

/** East Asian wide and full-width blocks, and emoji that are pictures by default. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

/** Columns of one code point: 0, 1 or 2. */
export function widthOf(character: string): 0 | 1 | 2 {
  if (character < "\u0300") return 1;
  return ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}
