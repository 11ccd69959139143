/** Colours of the recorded screens. */

export const BOLD = "\x1b[1m";
export const DIM = "\x1b[2m";
export const REVERSE = "\x1b[7m";
export const GREY = "\x1b[38;5;246m";
export const RULE = "\x1b[38;5;244m";
export const BLUE = "\x1b[38;5;153m";
export const PINK = "\x1b[38;5;211m";
export const ORANGE = "\x1b[38;5;174m";
export const STRONG = "\x1b[38;5;231m";
export const SAID = "\x1b[38;5;231;48;5;237m";

/** Text in a colour. */
export function paint(style: string, text: string): string {
  return `${style}${text}\x1b[0m`;
}
