/**
 * What is known about an agent's screens, as data: one JSON file per agent in `profiles/`, checked here, and a person's
 * own file in their place where there is one. Recognition is by structure: every pattern names the region it is for.
 */
import * as v from "valibot";
import { BUILT_IN } from "./profiles/mod.ts";

/** A regular expression in a JSON file; `^` and `$` mean the ends of a row. */
const pattern = v.pipe(
  v.string(),
  v.check((text) => {
    try {
      new RegExp(text, "mu");
      return true;
    } catch {
      return false;
    }
  }, "is no regular expression"),
  v.transform((text) => new RegExp(text, "mu")),
);

/**
 * Where a pattern is looked for. `title`: the pane's title. `head`: the last row above the composer that starts at the left
 * edge. `above`: all rows above the composer. `hint`: those that touch its upper edge. `status`: the first row below the composer. `footer`: all rows
 * below it. `label`: the agent's own row inside the frame. `screen`: every row, only for what cannot make a screen idle.
 */
const region = v.picklist(["title", "head", "above", "hint", "label", "status", "footer", "screen"]);

const rule = v.strictObject({
  /** Several regions are one text, a region on each line. */
  in: v.union([region, v.array(region)]),
  match: pattern,
  why: v.string(),
});

const style = v.partial(v.strictObject({
  bold: v.boolean(),
  dim: v.boolean(),
  italic: v.boolean(),
  underline: v.boolean(),
  reverse: v.boolean(),
  fg: v.nullable(v.union([v.number(), v.string()])),
  bg: v.nullable(v.union([v.number(), v.string()])),
}));

const composer = v.strictObject({
  /** `shown`: the terminal's cursor, which must be visible; `parked`: the same, but hidden; `block`: a cell drawn in reverse. */
  cursor: v.picklist(["shown", "parked", "block"]),
  /** A character drawn in the place of a block cursor while the composer is empty. */
  caret: v.optional(v.string()),
  /** The row above the input, its first row up to the first typed character, the row that ends the frame. */
  top: pattern,
  prompt: pattern,
  bottom: pattern,
  /** The same as `prompt` in shell mode, where text is run as a command. */
  shell: pattern,
  /** The last row inside the frame, where the agent writes it. */
  label: v.optional(pattern),
  /** Styles of which one is that of text nobody typed. */
  ghost: v.array(style),
  /** The empty composer is never without ghost text: without it, blanks were typed. */
  alwaysGhost: v.boolean(),
  /** Blank rows that the frame of an empty composer has below its input. */
  padding: v.optional(v.number(), 0),
  /** Largest column, from 0, at which a row of the transcript starts that is a `head`. */
  headColumn: v.number(),
});

const layout = v.strictObject({
  name: v.string(),
  /** Versions with which it was measured: `>=2.1 <3`. */
  versions: v.pipe(v.string(), v.regex(/^(?:(?:>=|<)\d+(?:\.\d+)*)(?: (?:>=|<)\d+(?:\.\d+)*)*$/)),
  comment: v.string(),
  composer,
  /** Each row below the composer of an idle screen matches one of these. */
  footer: v.array(pattern),
  /** Idle when all rules of one list hold. */
  idle: v.array(v.array(rule)),
});

const profile = v.strictObject({
  agent: v.string(),
  comment: v.string(),
  process: v.strictObject({
    /** Kernel names that are this agent's alone. */
    names: v.array(v.string()),
    /** It runs under `node`, which says nothing: where the arguments are not known, `marks` must hold. */
    runtime: v.boolean(),
    /** Matches the program's or its script's path. */
    program: pattern,
    /** Matches the arguments of a helper process that is not the one on the screen. */
    not: v.optional(pattern),
  }),
  marks: v.array(rule),
  modal: v.array(rule),
  busy: v.array(rule),
  /** Dialogs that replace the composer and that no general sign tells. */
  dialogs: v.array(rule),
  /** Pop-ups that may be sent away, each with the one key it takes. */
  popups: v.array(v.strictObject({ name: v.string(), key: v.string(), ...rule.entries })),
  /** How a long paste is shown in its place. */
  collapsed: v.optional(pattern),
  submit: v.strictObject({ key: v.string(), settleMs: v.pipe(v.number(), v.minValue(150)) }),
  /** Where the agent itself writes the message, below the home directory: the best proof that it has it. */
  receipt: v.strictObject({ path: v.string(), comment: v.string() }),
  layouts: v.pipe(v.array(layout), v.minLength(1)),
});

/** One agent. */
export type Profile = v.InferOutput<typeof profile>;
/** One shape of its screen, measured with some versions. */
export type Layout = Profile["layouts"][number];
/** What its composer looks like. */
export type ComposerSpec = Layout["composer"];
/** A pattern, the region it is for, and why it says something. */
export type Rule = Profile["busy"][number];
/** Where a pattern is looked for. */
export type Region = v.InferOutput<typeof region>;

/** The profiles to judge by, or the sentence that says what is wrong with a person's file. */
export type Profiles =
  | { readonly ok: true; readonly profiles: readonly Profile[] }
  | { readonly ok: false; readonly problem: string };

/**
 * The profiles of this release; those in a person's file (one, or a list of them) take the place of the same agents.
 *
 * @param override The text of that file; without it, the release's own.
 * @param file What to call it in a message.
 *
 * @example
 * ```ts
 * import { readProfiles } from "./profile.ts";
 * const read = readProfiles("{ not JSON", "profiles.json");
 * console.log(read.ok); // false
 * ```
 */
export function readProfiles(override?: string, file = "profiles.json"): Profiles {
  const own = BUILT_IN.map((each) => v.parse(profile, each));
  if (override === undefined) return { ok: true, profiles: own };
  let json: unknown;
  try {
    json = JSON.parse(override);
  } catch (error) {
    return { ok: false, problem: `Cannot read ${file} as JSON: ${error instanceof Error ? error.message : error}.` };
  }
  const read = v.safeParse(v.array(profile), Array.isArray(json) ? json : [json]);
  if (!read.success) {
    const [issue] = read.issues;
    return {
      ok: false,
      problem: `Cannot use ${file}: ${
        v.getDotPath(issue) ?? "it"
      }: ${issue.message}; see src/pane/profiles/ for examples.`,
    };
  }
  const replaced = new Set(read.output.map((each) => each.agent));
  return { ok: true, profiles: [...own.filter((each) => !replaced.has(each.agent)), ...read.output] };
}

/**
 * The same with the file at `path`, which need not exist. Requires `--allow-read` for it.
 *
 * @throws {Deno.errors.PermissionDenied} when the file cannot be read.
 */
export async function loadProfiles(path: string | URL): Promise<Profiles> {
  try {
    return readProfiles(await Deno.readTextFile(path), String(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return readProfiles();
    throw error;
  }
}

/** True when a version (`2.1.332`) is in a range (`>=2.1 <3`). */
export function inRange(version: string, range: string): boolean {
  return range.split(" ").every((bound) => {
    const [, sign, limit] = bound.match(/^(>=|<)(.*)$/)!;
    const order = compare(version, limit);
    return sign === "<" ? order < 0 : order >= 0;
  });
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.+-]/).map((part) => parseInt(part, 10) || 0));
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
