import assert from "node:assert/strict";
import { type Answer, failure, value } from "./answer.ts";
import { inject, type InjectOptions } from "./inject.ts";
import { type Key, type Multiplexer, type PaneLook, TMUX } from "./multiplexer.ts";
import { readProfiles } from "./profile.ts";

const read = readProfiles();
assert(read.ok);
const { profiles } = read;
const ID = "k3v9x2m7";
const TEXT = `[deaddrop ${ID}] hello [end ${ID}]`;
const REF = { target: "%1", server: { pid: 1, startTime: 1 } };
const RULE = "─".repeat(80);

/** What goes wrong with the agent, each off unless named. */
interface Faults {
  /** This many Enters are lost. */
  readonly lostEnters?: number;
  /** The paste is answered by this. */
  readonly paste?: Answer<null>;
  /** The pasted text never shows. */
  readonly swallowed?: boolean;
  /** A person types this after the paste. */
  readonly typedAfterPaste?: string;
  /** A dialog opens after the paste. */
  readonly dialogAfterPaste?: boolean;
  /** The agent ends after the paste, and leaves its screen. */
  readonly endsAfterPaste?: boolean;
  /** Enter empties the composer, and no turn begins. */
  readonly noTurn?: boolean;
  /** No session file is written. */
  readonly noReceipt?: boolean;
  /** Somebody's text is there from the start. */
  readonly draft?: string;
  readonly locked?: boolean;
}

/** An agent that looks like a recorded one, in a pane of a multiplexer of its own; time passes only in sleeps. */
function agent(faults: Faults = {}) {
  let composer = faults.draft ?? "";
  let turns: string[] = [];
  let lost = faults.lostEnters ?? 0;
  let dialog = false;
  let ended = false;
  let busyUntil = 0;
  let now = 1_000_000;
  const keys: Key[] = [];
  const log: string[] = [];
  const screen = (): string => {
    const busy = now < busyUntil;
    const rows = turns.flatMap((turn) => [`> ${turn}`, ""]);
    if (dialog) {
      rows.push(RULE, " Bash command", "", " Do you want to proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel");
    } else {
      if (busy) rows.push("✢ Cascading… (3s · esc to interrupt)", "");
      rows.push(
        RULE,
        `❯\u00a0${composer}`,
        RULE,
        busy ? "  esc to interrupt" : composer === "" ? "  ? for shortcuts" : "  ",
      );
    }
    return [...Array(Math.max(0, 24 - rows.length)).fill(""), ...rows].join("\n") + "\n";
  };
  const look = (): PaneLook => {
    const y = screen().split("\n").findIndex((line) => line.startsWith("❯\u00a0"));
    return {
      ref: REF,
      pid: 10,
      ansi: screen(),
      lastKeyAtMs: null,
      facts: {
        columns: 80,
        rows: 24,
        cursor: { x: 2 + composer.length, y: Math.max(0, y), visible: false },
        title: "✳ Claude Code",
        command: ended ? "bash" : "claude",
        mode: "",
        alternateScreen: false,
        mouse: false,
        dead: false,
        inputOff: false,
        synchronized: false,
      },
    };
  };
  const multiplexer: Multiplexer = {
    capabilities: TMUX,
    address: "a fake",
    list: () => Promise.resolve(failure("refused", "not asked for")),
    look: () => Promise.resolve([value(look())]),
    paste: (_, text) => {
      log.push("paste");
      if (!faults.swallowed) composer += text;
      composer += faults.typedAfterPaste ?? "";
      dialog = faults.dialogAfterPaste ?? false;
      ended = faults.endsAfterPaste ?? false;
      return Promise.resolve(faults.paste ?? value(null));
    },
    press: (_, key) => {
      keys.push(key);
      if (lost-- > 0) return Promise.resolve(value(null));
      if (!faults.noTurn) {
        turns = [...turns, composer];
        busyUntil = now + 5_000;
      }
      composer = "";
      return Promise.resolve(value(null));
    },
    stamp: () => Promise.resolve(value(null)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const options: InjectOptions = {
    multiplexer,
    profiles,
    deliveryId: ID,
    processes: {
      list: () =>
        Promise.resolve([
          { pid: 10, parent: 1, group: 10, terminalGroup: ended ? 10 : 11, comm: "bash" },
          ...(ended ? [] : [{ pid: 11, parent: 10, group: 11, terminalGroup: 11, comm: "claude" }]),
        ]),
      argv: (pid) => Promise.resolve(pid === 11 ? ["/opt/claude/bin/claude"] : ["bash"]),
    },
    clock: { now: () => now, sleep: (ms) => (now += ms, Promise.resolve()) },
    ports: {
      lock: () => Promise.resolve(faults.locked ? null : { [Symbol.dispose]() {} }),
      recordAttempt: () => (log.push("recorded"), Promise.resolve()),
      writeFile: () => Promise.resolve("/nowhere"),
      receipt: () =>
        Promise.resolve(
          turns.includes(TEXT) && !faults.noReceipt
            ? { kind: "found", path: "s.jsonl" }
            : { kind: "no-files", complete: true },
        ),
    },
  };
  return {
    run: (more: Partial<InjectOptions> = {}) => inject(REF, "hello", { ...options, ...more }),
    keys,
    log,
    turns: () => turns,
  };
}

Deno.test("inject: an idle agent takes the message once, and its session file proves it", async () => {
  const it = agent();
  const result = await it.run();
  assert.equal(result.state, "submitted");
  assert.deepEqual([it.turns(), it.keys, it.log], [[TEXT], ["Enter"], ["recorded", "paste"]]);
});

Deno.test("inject: without a session file, the echo above an empty composer of a busy agent proves it", async () => {
  assert.equal((await agent({ noReceipt: true }).run()).state, "submitted");
});

Deno.test("inject: one lost Enter is pressed again, since our text alone still stands there (ENTER-01)", async () => {
  const it = agent({ lostEnters: 1 });
  assert.equal((await it.run()).state, "submitted");
  assert.deepEqual([it.turns(), it.keys.length], [[TEXT], 2]);
});

Deno.test("inject: Enters that are all lost end as typed, not as submitted (ENTER-01, ENTER-02)", async () => {
  const it = agent({ lostEnters: 9 });
  assert.equal((await it.run()).state, "typed");
  assert.equal(it.keys.length, 2, "a bounded number of them");
});

Deno.test("inject: an empty composer alone proves nothing", async () => {
  assert.equal((await agent({ noTurn: true, noReceipt: true }).run()).state, "unknown");
});

for (
  const [what, faults, state] of [
    ["a person types between paste and Enter (HUMAN-03)", { typedAfterPaste: " wait" }, "typed"],
    ["a dialog opens between paste and Enter (MODAL-01)", { dialogAfterPaste: true }, "unknown"],
    ["the agent ends between paste and Enter (SHELL-01)", { endsAfterPaste: true }, "unknown"],
    ["the paste does not show", { swallowed: true }, "unknown"],
    [
      "tmux hangs on the paste and nothing shows (HANG-01)",
      { swallowed: true, paste: failure("unknown", "hung") },
      "unknown",
    ],
  ] as const
) {
  Deno.test(`inject: no key is pressed when ${what}`, async () => {
    const it = agent(faults);
    assert.equal((await it.run()).state, state);
    assert.deepEqual([it.keys, it.turns()], [[], []]);
  });
}

Deno.test("inject: a paste that tmux lost its word on goes on when the text is seen to stand there", async () => {
  const it = agent({ paste: failure("unknown", "hung") });
  assert.equal((await it.run()).state, "submitted");
  assert.deepEqual(it.turns(), [TEXT]);
});

Deno.test("inject: nothing is typed into a draft, beside another writer, or against tmux's refusal", async () => {
  const drafted = agent({ draft: "deploy the" });
  const result = await drafted.run();
  assert.deepEqual([result.state, "reason" in result && result.reason], ["held", "draft"]);
  assert.deepEqual(drafted.log, [], "no attempt was recorded");
  assert.equal((await agent({ locked: true }).run()).state, "held");
  assert.equal((await agent({ swallowed: true, paste: failure("refused", "no") }).run()).state, "held");
});

Deno.test("inject: a dry run stops before the first key", async () => {
  const it = agent();
  const result = await it.run({ dryRun: true });
  assert.deepEqual([result.state, it.log], ["dry-run", []]);
});

Deno.test("inject: an attempt that cannot be recorded is not made (DISK-02)", async () => {
  const it = agent();
  const ports = { lock: () => Promise.resolve({ [Symbol.dispose]() {} }) } as unknown as InjectOptions["ports"];
  const failing = { ...ports, recordAttempt: () => Promise.reject(new Error("disk full")) };
  await assert.rejects(it.run({ ports: failing }), /disk full/);
  assert.deepEqual([it.log, it.keys], [[], []]);
});
