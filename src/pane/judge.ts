/**
 * What a pane is, by its processes, its cursor and its screen. The one rule: any doubt is not idle. A screen is idle only when
 * a profile's composer stands where the keys go, is empty, and every sign around it says so.
 */
import { type Holder, holderOf } from "./agent.ts";
import { type Composer, findComposer, readComposer } from "./composer.ts";
import type { PaneFacts } from "./facts.ts";
import { menuRow } from "./menu.ts";
import { inRange, type Layout, type Profile, type Rule } from "./profile.ts";
import { holds, type Regions, regionsOf } from "./regions.ts";
import type { Screen } from "./screen.ts";

/** What a pane is. */
export type PaneState =
  /** An agent waits for a prompt, its composer is empty. */
  | "idle"
  /** An agent works, or starts. */
  | "busy"
  /** Keys would answer a question, pick from a list or run in the agent's shell mode. */
  | "modal"
  /** Text that is not ours alone, or typed blanks, stand in the composer. */
  | "draft"
  /** Keys do not go to the program, or not to it alone: copy mode, input off, synchronised panes. */
  | "scrolled"
  /** A shell has the keys. */
  | "shell"
  /** No agent has the keys: another program, or nobody. */
  | "gone"
  /** An agent has the keys, but its screen matches nothing that is known. */
  | "unknown-screen";

/** A judgement and what it rests on. */
export interface Verdict {
  readonly state: PaneState;
  /** The agent that has the keys; `null` where there is none or more than one may be it. */
  readonly agent: string | null;
  /** Which layout decided, and the versions with which it was measured. */
  readonly profile: { readonly layout: string; readonly versions: string } | null;
  /** What decided, in sentences. */
  readonly evidence: readonly string[];
  /** What the composer holds, where there is one. */
  readonly composer?: Composer;
  /** A pop-up that may be sent away by this one key. */
  readonly dismiss?: { readonly name: string; readonly key: string };
}

/** What a judgement may also know. */
export interface JudgeOptions {
  /** The text that would be ours if it stood in the composer. */
  readonly ours?: string;
  /** The agent's version: layouts measured with it come first. */
  readonly version?: string;
}

/** When layouts disagree, the first of these wins: idle only where none objects. */
const ORDER = ["modal", "busy", "draft", "idle", "unknown-screen"] as const;

/**
 * Judges a pane.
 *
 * @param facts What is known beside the text, of the same moment as the screen.
 * @param screen The captured screen.
 * @param profiles The agents that are known.
 * @param options What would be ours, and the agent's version.
 *
 * @example
 * ```ts
 * import { judge } from "./judge.ts";
 * import { readProfiles } from "./profile.ts";
 * import { parseScreen } from "./screen.ts";
 * const read = readProfiles();
 * const facts = {
 *   columns: 40, rows: 5, cursor: { x: 2, y: 0, visible: true }, title: "", command: "bash", mode: "",
 *   alternateScreen: false, mouse: false, dead: false, inputOff: false, synchronized: false,
 *   processes: [{ depth: 0, comm: "bash", argv: ["bash"], pid: 1, foreground: true }],
 * };
 * if (read.ok) console.log(judge(facts, parseScreen("$ ", 40, 5), read.profiles).state); // shell
 * ```
 */
export function judge(
  facts: PaneFacts,
  screen: Screen,
  profiles: readonly Profile[],
  options: JudgeOptions = {},
): Verdict {
  const nobody = { agent: null, profile: null };
  if (facts.dead) return { ...nobody, state: "gone", evidence: ["The pane's process has ended."] };
  const holder = holderOf(facts, profiles);
  if (holder.kind !== "agent") {
    return { ...nobody, state: holder.kind === "shell" ? "shell" : "gone", evidence: [sentence(holder.because)] };
  }
  const profile = whichOf(holder, screen, facts);
  const evidence = [sentence(holder.because)];
  const known = { agent: profile?.agent ?? null, profile: null };
  const elsewhere = facts.mode !== ""
    ? `Keys go to tmux's ${facts.mode}.`
    : facts.inputOff
    ? "Input to the pane is off."
    : facts.synchronized
    ? "Keys go to other panes as well."
    : null;
  if (elsewhere !== null) return { ...known, state: "scrolled", evidence: [...evidence, elsewhere] };
  if (screen.lines.every((line) => line === "")) {
    return { ...known, state: "busy", evidence: [...evidence, "The screen is blank: the agent starts or redraws it."] };
  }
  if (profile === null) {
    return {
      ...known,
      state: "unknown-screen",
      evidence: [...evidence, "Nothing on the screen tells which agent it is."],
    };
  }
  const verdict = byLayouts(profile, screen, facts, options) ?? withoutComposer(profile, screen, facts);
  return { ...verdict, evidence: [...evidence, ...verdict.evidence] };
}

/** The seed's three words for a state: what cannot be answered by waiting for a key is `busy`. */
export function coarse(state: PaneState): "idle" | "busy" | "modal" {
  return state === "idle" || state === "modal" ? state : "busy";
}

/** The one agent, of several that a bare name may mean: the one whose mark is on the screen. */
function whichOf(holder: Holder & { kind: "agent" }, screen: Screen, facts: PaneFacts): Profile | null {
  const regions = regionsOf(screen, facts, null);
  const those = holder.certain
    ? holder.suspects
    : holder.suspects.filter((profile) => profile.marks.some((mark) => holds(mark, regions)));
  return those.length === 1 ? those[0] : null;
}

/** The verdict of the layouts that find their composer; `null` when none does. */
function byLayouts(profile: Profile, screen: Screen, facts: PaneFacts, options: JudgeOptions): Verdict | null {
  const { version } = options;
  const measured = profile.layouts.filter(({ versions }) => version !== undefined && inRange(version, versions));
  const layouts = measured.length > 0 ? measured : profile.layouts;
  const verdicts = layouts.map((layout) => byLayout(profile, layout, screen, facts, options.ours))
    .filter((verdict) => verdict !== null);
  for (const state of ORDER) {
    const verdict = verdicts.find((each) => each.state === state);
    if (verdict !== undefined) return verdict;
  }
  return null;
}

function byLayout(profile: Profile, layout: Layout, screen: Screen, facts: PaneFacts, ours?: string): Verdict | null {
  const spec = layout.composer;
  const frame = findComposer(screen, facts, spec);
  if (frame === null) return null;
  const regions = regionsOf(screen, facts, frame, spec.headColumn);
  const composer = readComposer(screen, frame, spec, ours, profile.collapsed);
  const verdict = (state: PaneState, because: string): Verdict => ({
    state,
    agent: profile.agent,
    profile: { layout: layout.name, versions: layout.versions },
    evidence: [sentence(because)],
    composer,
  });
  const popup = profile.popups.find((each) => holds(each, regions));
  if (popup !== undefined) {
    return { ...verdict("modal", popup.why), dismiss: { name: popup.name, key: popup.key } };
  }
  const busy = profile.busy.find((rule) => holds(rule, regions));
  if (busy !== undefined) return verdict("busy", busy.why);
  if (composer.state === "draft" || composer.state === "ours") return verdict("draft", composer.because);
  const modal = profile.modal.find((rule) => holds(rule, regions));
  if (modal !== undefined) return verdict("modal", modal.why);
  if (frame.shell) return verdict("modal", "the composer is in shell mode: text would be run as a command");
  const strange = strangeFooter(layout, regions);
  if (strange !== undefined) {
    return verdict("unknown-screen", `below the composer stands what is not known: ${strange.trim()}`);
  }
  const idle = layout.idle.find((rules) => rules.every((rule) => holds(rule, regions)));
  return idle === undefined
    ? verdict("unknown-screen", "the composer is empty, but a sign that the agent waits is missing")
    : verdict("idle", [composer.because, ...idle.map(({ why }) => why)].join("; "));
}

function strangeFooter(layout: Layout, { footer }: Regions): string | undefined {
  return footer.split("\n").find((line) => line !== "" && !layout.footer.some((pattern) => pattern.test(line)));
}

/** An agent without its composer: a dialog has taken its place, or work has, or nobody knows. Never idle. */
function withoutComposer(profile: Profile, screen: Screen, facts: PaneFacts): Verdict {
  const regions = regionsOf(screen, facts, null);
  const base = { agent: profile.agent, profile: null };
  const first = (rules: readonly Rule[]) => rules.find((rule) => holds(rule, regions));
  const dialog = first([...profile.modal, ...profile.dialogs]);
  if (dialog !== undefined) return { ...base, state: "modal", evidence: [sentence(dialog.why)] };
  const menu = menuRow(screen.lines);
  if (menu !== null) {
    return { ...base, state: "modal", evidence: [`There is no composer, but a menu: ${menu}`] };
  }
  const busy = first(profile.busy);
  if (busy !== undefined) return { ...base, state: "busy", evidence: [sentence(busy.why)] };
  return { ...base, state: "unknown-screen", evidence: ["There is no composer where the keys go."] };
}

function sentence(text: string): string {
  return text[0].toUpperCase() + text.slice(1) + (/[.:]$/.test(text) ? "" : ".");
}
