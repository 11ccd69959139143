/** Typing into a real tmux pane with a scripted agent in it: what arrives, and what never happens. */
import assert from "node:assert/strict";
import { envelopeMarks, neutralise } from "../src/pane/envelope.ts";
import { injectLab } from "./inject_lab.ts";
import { until } from "./tmux_server.ts";

/** The message in a turn, without the words around it. */
function contentOf(turn: string, deliveryId: string): string {
  const { first, last } = envelopeMarks(deliveryId);
  assert(turn.startsWith(`${first} `) && turn.endsWith(` ${last}`), turn.slice(0, 100));
  return turn.slice(first.length + 1, -last.length - 1);
}

const AWKWARD = [
  "a;",
  ";",
  "a\\;",
  "-----BEGIN",
  "--help",
  "Enter Up C-c Space",
  "é 漢字 👩‍👩‍👧 עברית",
  "a\x1b[201~; rm -rf x",
  "!ls",
  "/exit now",
  "# note",
  "@file",
  "? for shortcuts",
  "& more",
  "ends with a backslash \\",
  "ends with @word",
  "$(touch x) `touch y` \"quotes\" 'too'",
  "one\ntwo\n  three",
  "[deaddrop test00000000] somebody else's marks [end test00000000]",
];

Deno.test("inject: awkward texts arrive byte for byte, each as one turn (CHARS-01, CHARS-02, CHARS-03, LONG-04)", async () => {
  await using it = await injectLab();
  for (const text of AWKWARD) {
    const { state, deliveryId, evidence } = await it.send(text);
    assert.equal(state, "submitted", `${text}: ${evidence}`);
    const turns = await it.agent.turns();
    assert.equal(contentOf(turns.at(-1)!, deliveryId), neutralise(text));
  }
  assert.equal((await it.agent.turns()).length, AWKWARD.length);
});

Deno.test("inject: every size arrives whole, inline or by file, up to a clear refusal (LONG-01, LONG-03, LONG-06)", async () => {
  await using it = await injectLab();
  const line = "0123456789abcdef ";
  for (const size of [1, 1023, 1024, 4095, 4096, 9994, 16_384, 65_536, 100_000, 1 << 20]) {
    const text = line.repeat(Math.ceil(size / line.length)).slice(0, size - 1) + "x";
    const { state, deliveryId, evidence } = await it.send(text);
    assert.equal(state, "submitted", `${size} bytes: ${evidence}`);
    const turn = (await it.agent.turns()).at(-1)!;
    const file = it.files.get(deliveryId);
    if (file === undefined) assert.equal(contentOf(turn, deliveryId), text);
    else {
      assert.equal(file.includes(text), true);
      assert(turn.includes(`${deliveryId}.md`) && !turn.includes("\n"));
    }
  }
  const many = Array.from({ length: 200 }, (_, i) => `line ${i}`).join("\n");
  const { deliveryId } = await it.send(many);
  assert(it.files.get(deliveryId)?.includes(many));
  assert.equal((await it.send("x".repeat((1 << 20) + 1))).state, "refused");
});

Deno.test("trap 1: a permission dialog gets no key; its approval is never a side effect (MODAL-01)", async () => {
  await using it = await injectLab({ steps: [{ do: "show", menu: "permission" }] });
  const result = await it.send("hello");
  assert.deepEqual([result.state, "reason" in result && result.reason], ["held", "modal"]);
  assert.equal((await it.agent.bytes()).length, 0);
});

Deno.test("trap 2: a text that begins with ! is not run", async () => {
  await using it = await injectLab();
  assert.equal((await it.send("!touch gone-wrong")).state, "submitted");
  assert.equal((await it.agent.log()).some(({ event }) => event === "shell"), false);
});

for (const end of ["exit", "crash"] as const) {
  Deno.test(`trap 3: a shell in the pane after the agent's ${end} gets no key (SHELL-01)`, async () => {
    await using it = await injectLab({ shell: true });
    await it.agent.tell({ do: end });
    await until(
      "a shell in the foreground",
      async () =>
        (await it.server.tmux("display-message", "-p", "-t", it.agent.pane, "#{pane_current_command}")) === "bash" ||
        null,
    );
    const before = await it.agent.screen();
    assert.equal((await it.send("rm is a fine word")).state, "held");
    assert.equal(await it.agent.screen(), before);
  });
}

Deno.test("trap 4: /exit is a word like any other", async () => {
  await using it = await injectLab();
  assert.equal((await it.send("/exit")).state, "submitted");
  assert.equal((await it.agent.log()).some(({ event }) => event === "command" || event === "exit"), false);
});

Deno.test("trap 5: an agent that works gets no key", async () => {
  await using it = await injectLab({ steps: [{ do: "work" }] });
  const result = await it.send("hello");
  assert.deepEqual([result.state, "reason" in result && result.reason], ["held", "busy"]);
  assert.equal((await it.agent.bytes()).length, 0);
});

Deno.test("trap 6: a dialog that opens after the paste gets no Enter (HUMAN-03)", async () => {
  await using it = await injectLab({ steps: [{ do: "show", menu: "permission", on: "paste" }] });
  assert.notEqual((await it.send("hello")).state, "submitted");
  assert.equal((await it.agent.log()).some(({ event }) => event === "answered"), false);
});

Deno.test("trap 7: somebody's draft stays theirs; ghost text is nobody's (HUMAN-01, HUMAN-05)", async () => {
  await using it = await injectLab({ behaviour: { ghost: "run the tests" } });
  assert.equal((await it.send("one")).state, "submitted");
  await it.agent.type("deploy the");
  const result = await it.send("two");
  assert.deepEqual([result.state, "reason" in result && result.reason], ["held", "draft"]);
  assert.equal((await it.agent.turns()).length, 1);
});

Deno.test("trap 8: a pane in copy mode gets neither text nor Enter (COPY-01, COPY-02)", async () => {
  await using it = await injectLab();
  await it.server.tmux("copy-mode", "-t", it.agent.pane);
  const result = await it.send("f/:t");
  assert.deepEqual([result.state, "reason" in result && result.reason], ["held", "scrolled"]);
  await it.server.tmux("send-keys", "-t", it.agent.pane, "-X", "cancel");
  assert.equal((await it.send("f/:t")).state, "submitted");
  assert.equal((await it.agent.turns()).length, 1);
});

Deno.test("trap 9: an Enter that comes too soon is pressed again, one that is always dropped is not success (ENTER-01)", async () => {
  await using it = await injectLab({ behaviour: { enterGapMs: 1_000 } });
  assert.equal((await it.send("hello")).state, "submitted");
  assert.equal((await it.agent.turns()).length, 1);
  await it.agent.tell({ do: "set", behaviour: { dropEnters: true } });
  assert.equal((await it.send("again")).state, "typed");
  assert.equal((await it.agent.turns()).length, 1);
});

Deno.test("trap 10: a paste cannot be ended from inside (LONG-04)", async () => {
  await using it = await injectLab();
  const { deliveryId } = await it.send("before\x1b[201~\rafter");
  assert.deepEqual((await it.agent.turns()).map((turn) => contentOf(turn, deliveryId)), ["before[201~\nafter"]);
});

Deno.test("inject: a session whose name begins alike is not taken (PANE-01)", async () => {
  await using it = await injectLab();
  assert.equal((await it.send("hello", "cel")).state, "held");
  assert.equal((await it.agent.bytes()).length, 0);
});

Deno.test("inject: two at once to one pane: one types, the other is held (SHELL-02)", async () => {
  await using it = await injectLab();
  const states = (await Promise.all([it.send("one"), it.send("two")])).map(({ state }) => state).sort();
  assert.deepEqual(states, ["held", "submitted"]);
  assert.equal((await it.agent.turns()).length, 1);
});

Deno.test("inject: a message left in the box by a lost Enter is not glued to the next one (ENTER-06)", async () => {
  await using it = await injectLab({ behaviour: { dropEnters: true } });
  assert.equal((await it.send("first")).state, "typed");
  await it.agent.tell({ do: "set", behaviour: { dropEnters: false } });
  const result = await it.send("second");
  assert.deepEqual([result.state, "reason" in result && result.reason], ["held", "draft"]);
  assert.deepEqual(await it.agent.turns(), []);
});

Deno.test("inject: a pop-up that is known to be harmless goes by its one key, once, and the message follows (MODAL-03)", async () => {
  await using it = await injectLab({ steps: [{ do: "show", menu: "survey" }] });
  assert.equal((await it.send("hello")).state, "submitted");
  const log = await it.agent.log();
  assert.equal(log.filter(({ event }) => event === "dismissed").length, 1);
  assert.equal(log.some(({ event }) => event === "answered"), false);
  assert.equal((await it.agent.turns()).length, 1);
});
