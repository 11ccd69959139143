/** How a cell is drawn, and how the terminal's SGR sequences (`ESC [ … m`) change it. */

/** `null` is the terminal's own colour, a number one of its 256, a string an RGB value (`#rrggbb`). */
export type Colour = null | number | string;

/** How a cell is drawn. */
export interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly reverse: boolean;
  readonly fg: Colour;
  readonly bg: Colour;
}

/** Text as the terminal draws it when nothing was asked for. */
export const PLAIN: Style = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  reverse: false,
  fg: null,
  bg: null,
};

/** What each simple SGR code changes. */
const CHANGES: Readonly<Record<number, Partial<Style>>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { reverse: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { reverse: false },
  39: { fg: null },
  49: { bg: null },
};

/** The style after an SGR sequence with these parameters (`0;38;5;244`); what is unknown or cut off changes nothing. */
export function restyle(style: Style, parameters: string): Style {
  const fields = parameters.split(";").map((field) => field.split(":").map((part) => Number(part || "0")));
  let result = style;
  for (let i = 0; i < fields.length; i++) {
    const [code, sub] = fields[i];
    if (code === 38 || code === 48 || code === 58) {
      const joined = fields[i].length > 1;
      const args = joined ? fields[i].slice(1) : fields.slice(i + 1, i + 5).map(([first]) => first);
      const { colour, used } = extended(args, joined);
      if (!joined) i += used;
      if (colour !== undefined && code !== 58) result = { ...result, [code === 38 ? "fg" : "bg"]: colour };
    } else if (code === 4 && sub === 0) result = { ...result, underline: false };
    else if (code >= 30 && code <= 37) result = { ...result, fg: code - 30 };
    else if (code >= 40 && code <= 47) result = { ...result, bg: code - 40 };
    else if (code >= 90 && code <= 97) result = { ...result, fg: code - 82 };
    else if (code >= 100 && code <= 107) result = { ...result, bg: code - 92 };
    else if (CHANGES[code] !== undefined) result = { ...result, ...CHANGES[code] };
  }
  return result;
}

/** The colour after 38, 48 or 58: `5;N` or `2;R;G;B`, where the form with colons may name a colour space first. */
function extended(args: readonly number[], joined: boolean): { colour?: Colour; used: number } {
  if (args[0] === 5) return args.length > 1 ? { colour: args[1], used: 2 } : { used: 1 };
  if (args[0] !== 2) return { used: Math.min(1, args.length) };
  const rgb = joined ? args.slice(-3) : args.slice(1, 4);
  if (rgb.length < 3) return { used: args.length };
  return { colour: "#" + rgb.map((part) => (part & 255).toString(16).padStart(2, "0")).join(""), used: 4 };
}
