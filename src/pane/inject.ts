import type { Answer, Failure } from "./answer.ts";
import { mayHaveRun } from "./answer.ts";
import { type PaneClock, systemClock } from "./clock.ts";
import { envelopeMarks, makeEnvelope } from "./envelope.ts";
import type { PaneState } from "./judge.ts";
import { KEYS, type PaneRef } from "./multiplexer.ts";
import { type Probe, type ProbeOptions, probePane } from "./probe.ts";
import type { Receipt } from "./receipt.ts";
import { parseScreen } from "./screen.ts";

/**
 * Typing a message into an agent's pane, and proving what became of it. Each step is its own command, and between any two of
 * them the pane is looked at again: whatever is not positively as it should be ends the attempt before the next key.
 */

/** Agents show a longer paste as a mark in its place (Claude Code from 800 characters or 4 lines), which proves nothing about
 * whose it is; a longer message goes by file, and one line names that. */
const MAX_INLINE = { maxBytes: 700, maxLines: 3 } as const;

/** Until the pasted text stands in the composer (5 s); a slow agent redraws within a second. */
const TYPED_MS = 5_000;

/** Until there is proof that the agent took it (6 s): the slowest receipt that was measured took one second. */
const SUBMITTED_MS = 6_000;

/** Text that still stands in the composer this long (1.5 s) after Enter lost its Enter. */
const LOST_ENTER_MS = 1_500;

/** Enter is pressed at most so often; the second only on a composer that still holds exactly our text. */
const MAX_ENTERS = 2;

/** An agent has taken a pop-up away this long (500 ms) after its key. */
const POPUP_MS = 500;

/** Milliseconds between two looks while something is waited for. */
const STEP_MS = 150;

/** Where an attempt stands, in the order of what is proven. */
export type Injection =
  /** The agent took it; the evidence bears our delivery id. */
  | { readonly state: "submitted"; readonly evidence: readonly string[] }
  /** It stands in the agent's composer and was not taken. */
  | { readonly state: "typed"; readonly evidence: readonly string[] }
  /** Nothing was typed, because the pane is not ready; try again later. */
  | { readonly state: "held"; readonly reason: HeldReason; readonly evidence: readonly string[] }
  /** Nothing was typed, and trying again will not help. */
  | { readonly state: "refused"; readonly evidence: readonly string[] }
  /** Nothing was typed, because that was asked for; this would have been. */
  | { readonly state: "dry-run"; readonly text: string; readonly evidence: readonly string[] }
  /** It may have been typed, or taken: look for the delivery id before doing it again. */
  | { readonly state: "unknown"; readonly evidence: readonly string[] };

/** Why nothing was typed: the pane's state, another writer, or a multiplexer that did not answer. */
export type HeldReason = Exclude<PaneState, "idle"> | "locked" | "no-server";

/** What happens outside of the pane. */
export interface InjectPorts {
  /** Takes the lock of the pane; `null` when another process has it. */
  lock(pane: PaneRef): Promise<Disposable | null>;
  /** Writes down that keys are about to be sent. Failing keeps them from being sent. */
  recordAttempt(deliveryId: string): Promise<void>;
  /** Writes the message where the agent can read it, and returns the path. */
  writeFile(deliveryId: string, content: string): Promise<string>;
  /** Looks for the delivery id in the agent's own session file. */
  receipt(probe: Probe, deliveryId: string, sinceMs: number): Promise<Receipt>;
}

/** Options of {@linkcode inject}. */
export interface InjectOptions extends ProbeOptions {
  readonly ports: InjectPorts;
  /** Id of the delivery: at least eight of `0-9a-z`, never used twice. */
  readonly deliveryId: string;
  /** Path under which long text would be left for the agent. */
  readonly file?: string;
  /** Stop before the first key and say what would be typed. @default {false} */
  readonly dryRun?: boolean;
}

/**
 * Types `text` into the agent's pane and submits it.
 *
 * @param pane The pane, as `resolveSessionPane` gave it.
 * @returns How far it provably came; never more than is proven.
 * @throws the signal's reason when it aborts before the first key; after it, aborting ends the waits as `typed` or `unknown`.
 */
export async function inject(pane: PaneRef, text: string, options: InjectOptions): Promise<Injection> {
  const { deliveryId, file, ports } = options;
  const envelope = makeEnvelope(text, { ...MAX_INLINE, deliveryId, file });
  if (envelope.kind === "refused") return { state: "refused", evidence: [envelope.message] };
  using lock = await ports.lock(pane);
  if (lock === null) return held("locked", ["Another process is typing into this pane."]);
  const before = await probeBehindPopup(pane, { ...options, ours: envelope.text });
  if (!before.ok) return heldBy(before);
  const { state, evidence } = before.value;
  if (state !== "idle") return held(state, evidence);
  if (options.dryRun) return { state: "dry-run", text: envelope.text, evidence };
  if (envelope.kind === "by-file") await ports.writeFile(deliveryId, envelope.fileContent);
  await ports.recordAttempt(deliveryId);
  return await new Attempt(pane, envelope.text, before.value, options).run();
}

/** A probe; one pop-up that the profile lists as harmless is sent away by its one key, once, and the pane is probed anew. */
async function probeBehindPopup(pane: PaneRef, options: InjectOptions): Promise<Answer<Probe>> {
  const first = await probePane(pane, options);
  const key = KEYS.find((each) => first.ok && each === first.value.dismiss?.key);
  if (key === undefined || options.dryRun) return first;
  const pressed = await options.multiplexer.press(pane, key);
  if (!pressed.ok) return pressed;
  await (options.clock ?? systemClock).sleep(POPUP_MS, options.signal);
  return await probePane(pane, options);
}

function held(reason: HeldReason, evidence: readonly string[]): Injection {
  return { state: "held", reason, evidence };
}

function heldBy({ reason, message }: Failure): Injection {
  return held(reason === "gone" ? "gone" : "no-server", [message]);
}

/** From the first key on. */
class Attempt {
  readonly #pane: PaneRef;
  readonly #text: string;
  readonly #before: Probe;
  readonly #options: InjectOptions;
  readonly #clock: PaneClock;
  readonly #since: number;
  readonly #settleMs: number;

  constructor(pane: PaneRef, text: string, before: Probe, options: InjectOptions) {
    this.#pane = pane;
    this.#text = text;
    this.#before = before;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#since = this.#clock.now();
    this.#settleMs = options.profiles.find(({ agent }) => agent === before.agent)?.submit.settleMs ?? 1_000;
  }

  async run(): Promise<Injection> {
    const { multiplexer } = this.#options;
    const pasted = await multiplexer.paste(this.#pane, this.#text);
    if (!pasted.ok && !mayHaveRun(pasted)) return heldBy(pasted);
    await this.#clock.sleep(this.#settleMs);
    for (const end = this.#clock.now() + TYPED_MS;;) {
      const look = await this.#look();
      if (!look.ok) return unknown([...said(pasted), look.message]);
      if (holdsOurs(look.value)) return await this.#submit();
      const { state, composer, evidence } = look.value;
      const waiting = state === "idle" || state === "busy" || composer?.state === "empty" ||
        composer?.state === "ghost";
      if (!waiting) return this.#typedBeside(look.value);
      if (this.#clock.now() >= end) {
        return unknown([...said(pasted), "The pasted text has not appeared in the composer.", ...evidence]);
      }
      await this.#clock.sleep(STEP_MS);
    }
  }

  /** Something stands with our text, or in its place: no key may be pressed. */
  #typedBeside({ state, evidence, composer }: Probe): Injection {
    const { first } = envelopeMarks(this.#options.deliveryId);
    const there = composer?.text.includes(first) ?? false;
    const what = there ? "Our text is in the composer, and not alone." : `The pane became ${state} while we typed.`;
    return there ? { state: "typed", evidence: [what, ...evidence] } : unknown([what, ...evidence]);
  }

  async #submit(): Promise<Injection> {
    let pressedAt = 0;
    let presses = 0;
    let last = "Nothing was seen yet.";
    for (let end = Infinity; this.#clock.now() < end;) {
      const look = await this.#look();
      const ours = look.ok && holdsOurs(look.value);
      if (ours && (presses === 0 || (presses < MAX_ENTERS && this.#clock.now() - pressedAt >= LOST_ENTER_MS))) {
        const pressed = await this.#options.multiplexer.press(this.#pane, "Enter");
        if (!pressed.ok) {
          return mayHaveRun(pressed) ? unknown([pressed.message]) : { state: "typed", evidence: [pressed.message] };
        }
        presses++;
        pressedAt = this.#clock.now();
        end = pressedAt + SUBMITTED_MS;
      } else if (presses === 0) {
        return look.ok ? this.#typedBeside(look.value) : { state: "typed", evidence: [look.message] };
      } else {
        const proof = await this.#proof(look);
        if (proof !== null) return { state: "submitted", evidence: [proof] };
        if (look.ok && !ours && look.value.state === "draft") return this.#typedBeside(look.value);
        last = look.ok ? look.value.evidence.at(-1) ?? "" : look.message;
      }
      await this.#clock.sleep(STEP_MS);
    }
    const look = await this.#look();
    if (look.ok && holdsOurs(look.value)) {
      return { state: "typed", evidence: [`Enter was pressed ${presses} times and not taken.`, last] };
    }
    return unknown(["The text left the composer, and nothing that bears our delivery id proves where it went.", last]);
  }

  /** The sentence that proves it, or `null`. */
  async #proof(look: Answer<Probe>): Promise<string | null> {
    const receipt = await this.#options.ports.receipt(this.#before, this.#options.deliveryId, this.#since);
    if (receipt.kind === "found") return `The agent's own session file ${receipt.path} has the message.`;
    if (!look.ok || receipt.kind === "absent" && receipt.complete) return null;
    const { composer, state, snapshot } = look.value;
    const empty = composer?.state === "empty" || composer?.state === "ghost";
    const { last } = envelopeMarks(this.#options.deliveryId);
    const { columns, rows } = snapshot.facts;
    const echoed = parseScreen(snapshot.ansi, columns, rows).lines.join("").includes(last);
    return state === "busy" && empty && echoed
      ? "The agent works, and shows the message above its empty composer."
      : null;
  }

  /** One look, which knows our text. */
  #look(): Promise<Answer<Probe>> {
    return probePane(this.#pane, { ...this.#options, ours: this.#text, looks: 1, quietMs: 0, signal: undefined });
  }
}

function holdsOurs({ state, composer }: Probe): boolean {
  return state === "draft" && composer?.state === "ours";
}

function unknown(evidence: readonly string[]): Injection {
  return { state: "unknown", evidence };
}

function said(answer: Answer<null>): string[] {
  return answer.ok ? [] : [answer.message];
}
