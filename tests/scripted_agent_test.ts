import assert from "node:assert/strict";
import fc from "fast-check";
import { judge } from "../src/pane/judge.ts";
import { paneFacts } from "../src/pane/pane_facts.ts";
import { processTable } from "../src/pane/process_tree.ts";
import { readProfiles } from "../src/pane/profile.ts";
import { findReceipt } from "../src/pane/receipt.ts";
import { parseScreen } from "../src/pane/screen.ts";
import { InputReader } from "./scripted_agent/input.ts";
import { ScriptedAgent, type StartOptions } from "./scripted_agent/start.ts";
import { refOf, TestServer, until } from "./tmux_server.ts";

/** The scripted agent in real tmux: what it does, and that a reader of screens takes it for Claude Code. */

const profiles = (() => {
  const read = readProfiles();
  assert(read.ok);
  return read.profiles;
})();

/** An agent on a server of its own. */
async function lab(options: StartOptions = {}) {
  const server = new TestServer();
  const agent = await ScriptedAgent.start(server, "cell", options);
  const multiplexer = server.open();
  const pane = await refOf(multiplexer, agent.pane);
  const verdict = async () => {
    const [answer] = await paneFacts(multiplexer, processTable(), [pane]);
    assert(answer.ok, JSON.stringify(answer));
    const { facts, ansi } = answer.value;
    return judge(facts, parseScreen(ansi, facts.columns, facts.rows), profiles);
  };
  const shows = async (state: string) => {
    let said = "";
    return await until(`${state}, not ${said}`, async () => {
      const now = await verdict();
      said = JSON.stringify(now);
      return now.state === state ? now : null;
    }).catch(async (error) => {
      throw new Error(`${said}\n${await agent.screen()}`, { cause: error });
    });
  };
  const draws = (text: string | RegExp) =>
    until(`${text} on the screen`, async () => {
      const screen = await server.tmux("capture-pane", "-p", "-t", agent.pane);
      return (typeof text === "string" ? screen.includes(text) : text.test(screen)) ? screen : null;
    });
  return {
    agent,
    server,
    verdict,
    shows,
    draws,
    async [Symbol.asyncDispose]() {
      await multiplexer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

Deno.test("scripted agent: taken for an idle Claude Code, with ghost text too (HUMAN-05)", async () => {
  await using it = await lab();
  const idle = await it.shows("idle");
  assert.deepEqual([idle.agent, idle.composer?.state], ["claude", "empty"]);
  await it.agent.tell({ do: "set", behaviour: { ghost: "run the tests" } });
  await it.draws("❯\u00a0run the tests");
  const ghost = await it.shows("idle");
  assert.deepEqual([ghost.agent, ghost.composer?.state], ["claude", "ghost"]);
});

Deno.test("scripted agent: a message is one turn, exact, with a receipt, and busy meanwhile", async () => {
  await using it = await lab({ behaviour: { turnMs: null, receipts: true } });
  const { agent } = it;
  const text = "[deaddrop 7f3a19c2] über 漢字\nline two [end 7f3a19c2]";
  await agent.paste(text);
  await it.draws("line two");
  assert.equal((await it.shows("draft")).composer?.text.replace(/\n +/, "\n"), text);
  await agent.keys("Enter");
  assert.equal((await agent.saw("turn")).text, text);
  await it.shows("busy");
  const cwd = it.server.dir;
  const query = {
    pattern: ".claude/projects/{cwd}/*.jsonl",
    home: agent.dir,
    cwd,
    deliveryId: "7f3a19c2",
    sinceMs: Date.now(),
  };
  assert.equal((await findReceipt(query)).kind, "found");
  await agent.tell({ do: "end-turn" });
  await it.shows("idle");
  assert.equal(new TextDecoder().decode(await agent.bytes()), `\x1b[200~${text}\x1b[201~\r`);
});

Deno.test("scripted agent: a turn of some time ends by itself; a message meanwhile waits for it", async () => {
  await using it = await lab({ behaviour: { turnMs: 300 } });
  await it.agent.tell({ do: "work" });
  await it.agent.type("next");
  await it.agent.keys("Enter");
  assert.equal((await it.agent.saw("turn")).text, "next");
  await it.agent.saw("turn-end", 2);
  assert((await it.agent.log()).some(({ event }) => event === "queued"));
});

Deno.test("scripted agent: the permission dialog takes every key, and an Enter approves (MODAL-01)", async () => {
  await using it = await lab({ steps: [{ do: "show", menu: "permission" }] });
  await it.shows("modal");
  await it.agent.paste("text");
  assert.deepEqual((await it.agent.saw("swallowed")).text, "text");
  await it.agent.keys("Down");
  await it.draws("❯ 2.");
  await it.agent.keys("Enter");
  const { menu, answer } = await it.agent.saw("answered");
  assert.deepEqual([menu, answer], ["permission", 2]);
  await it.agent.tell({ do: "show", menu: "permission" });
  await it.agent.type("1");
  assert.equal((await it.agent.saw("answered", 2)).answer, 1);
  assert.deepEqual(await it.agent.turns(), []);
});

Deno.test("scripted agent: the question dialog, gone by Escape", async () => {
  await using it = await lab({ steps: [{ do: "show", menu: "question" }] });
  await it.draws("Which database");
  await it.shows("modal");
  await it.agent.keys("Escape");
  assert.equal((await it.agent.saw("dismissed")).menu, "question");
  await it.shows("idle");
});

Deno.test("scripted agent: the survey leaves the composer, takes a digit, goes by one Escape (MODAL-03, ENTER-04)", async () => {
  await using it = await lab({ steps: [{ do: "show", menu: "survey" }] });
  const survey = await it.shows("modal");
  assert.deepEqual(survey.dismiss, { name: "survey", key: "Escape" });
  await it.agent.keys("Escape");
  assert.equal((await it.agent.saw("dismissed")).menu, "survey");
  await it.shows("idle");
  await it.agent.tell({ do: "show", menu: "survey" });
  await it.agent.type("2");
  assert.equal((await it.agent.saw("answered")).answer, 2);
});

Deno.test("scripted agent: in vim's normal mode keys are commands, a paste is not", async () => {
  await using it = await lab({ behaviour: { vim: true } });
  await it.draws("-- INSERT --");
  await it.agent.keys("Escape");
  await it.draws(/^((?!INSERT)[^])*$/);
  await it.agent.type("dd of oo");
  await it.draws("-- INSERT --");
  await it.agent.keys("C-u", "BSpace", "Escape");
  await it.draws(/^((?!INSERT)[^])*$/);
  await it.agent.paste("dd whole");
  await it.draws("dd whole");
  await it.agent.keys("Enter");
  assert.equal((await it.agent.saw("turn")).text, "dd whole");
});

Deno.test("scripted agent: an Enter too soon after text is dropped, a later one is taken (ENTER-01)", async () => {
  await using it = await lab({ behaviour: { enterGapMs: 60_000 } });
  await it.agent.paste("hello");
  await it.agent.keys("Enter");
  assert.equal((await it.agent.saw("enter-dropped")).why, "gap");
  await it.agent.tell({ do: "set", behaviour: { enterGapMs: 1 } });
  await it.agent.keys("Enter");
  assert.equal((await it.agent.saw("turn")).text, "hello");
});

Deno.test("scripted agent: it can drop every Enter (ENTER-01)", async () => {
  await using it = await lab({ behaviour: { dropEnters: true } });
  await it.agent.paste("hello");
  await it.agent.keys("Enter", "Enter");
  await it.agent.saw("enter-dropped", 2);
  assert.equal((await it.shows("draft")).composer?.text, "hello");
  assert.deepEqual(await it.agent.turns(), []);
});

Deno.test("scripted agent: long text without brackets keeps only its tail, a bracketed paste is whole (LONG-02)", async () => {
  await using it = await lab({ behaviour: { readBytes: 1022 } });
  const text = "x".repeat(1022) + "y".repeat(182);
  await it.agent.type(text);
  await until("all bytes", async () => (await it.agent.bytes()).length >= text.length || null);
  await it.agent.keys("Enter");
  const [cut] = await until("a turn", async () => (await it.agent.turns()).length > 0 ? await it.agent.turns() : null);
  assert(cut.length < text.length && text.endsWith(cut), `${cut.length}`);
  await it.agent.paste(text);
  await it.draws("[Pasted text #1]");
  await it.agent.keys("Enter");
  assert.equal((await it.agent.saw("turn", 2)).text, text);
});

Deno.test("scripted agent: a big paste is shown as a mark and arrives whole", async () => {
  await using it = await lab();
  const text = Array.from({ length: 2000 }, (_, i) => `line ${i} ${"z".repeat(40)}`).join("\n");
  await it.agent.paste(text);
  await it.draws("[Pasted text #1 +1999 lines]");
  assert.equal((await it.shows("draft")).composer?.collapsed, true);
  await it.agent.keys("Enter");
  assert.equal((await it.agent.saw("turn")).text, text);
});

Deno.test("scripted agent: the screen can follow late", async () => {
  await using it = await lab({ behaviour: { redrawMs: 60_000 } });
  await it.agent.paste("hello");
  await it.agent.saw("bytes");
  assert.equal((await it.verdict()).state, "idle");
  await it.agent.tell({ do: "set", behaviour: { redrawMs: 0 } });
  await it.shows("draft");
});

Deno.test("scripted agent: a dialog can open between paste and Enter, or right before the Enter", async () => {
  await using it = await lab({
    steps: [
      { do: "show", menu: "permission", on: "paste" },
      { do: "show", menu: "question", on: "enter", afterMs: 0 },
    ],
  });
  await it.agent.paste("hello");
  await it.agent.saw("did", 2);
  await it.shows("modal");
  await it.agent.keys("Enter");
  assert.equal((await it.agent.saw("answered")).menu, "permission");
  await it.agent.tell({ do: "close" });
  await it.shows("draft");
  await it.agent.tell({ do: "show", menu: "permission", on: "enter" });
  await it.agent.keys("Enter");
  await it.agent.saw("answered", 2);
  assert.deepEqual(await it.agent.turns(), []);
});

Deno.test("scripted agent: what the text begins or ends with means something (why there is an envelope)", async () => {
  await using it = await lab();
  const { agent } = it;
  await agent.paste("!touch x");
  await it.draws("!\u00a0touch x");
  await agent.keys("Enter");
  assert.equal((await agent.saw("shell")).text, "touch x");
  await agent.paste("/help me");
  await agent.keys("Enter");
  assert.equal((await agent.saw("command")).text, "/help me");
  await agent.paste("see @README");
  await agent.keys("Enter");
  assert.equal((await agent.saw("completed")).text, "see @README ");
  await agent.keys("C-c");
  await agent.paste("go on\\");
  await agent.keys("Enter");
  await agent.type("two");
  await agent.keys("Enter");
  assert.equal((await agent.saw("turn")).text, "go on\ntwo");
});

Deno.test("scripted agent: it can exit to the shell (SHELL-01)", async () => {
  await using it = await lab({ shell: true });
  await it.shows("idle");
  await it.agent.tell({ do: "exit" });
  await it.shows("shell");
});

Deno.test("scripted agent: a crash leaves its screen and its title behind", async () => {
  await using it = await lab({ shell: true });
  await it.shows("idle");
  await it.agent.tell({ do: "crash" });
  await it.shows("shell");
  await it.draws("Claude Code");
  assert.equal(await it.server.tmux("display-message", "-p", "-t", it.agent.pane, "#{pane_title}"), "✳ Claude Code");
});

Deno.test("scripted agent: it follows the size of its pane", async () => {
  await using it = await lab({ steps: [{ do: "say", text: "word ".repeat(40) }] });
  await it.server.tmux("resize-window", "-t", "cell", "-x", "40", "-y", "12");
  await it.draws(/^─{40}$/m);
  await it.shows("idle");
});

Deno.test("input reader: any split of the bytes gives the same pastes and keys", () => {
  const bytes = new TextEncoder().encode("\x1b[200~é\r\n\x1b[A 漢\x1b[201~ab\r\x1b[A\x03");
  const typed = (reader: InputReader, parts: Uint8Array[]) => {
    const inputs = parts.flatMap((part) => [...reader.read(part)]);
    // Text is cut where a read ends.
    return inputs.flatMap((input) =>
      input.kind === "text" ? [...input.text].map((text) => ({ ...input, text })) : [input]
    );
  };
  const whole = typed(new InputReader(), [bytes]);
  assert.deepEqual(whole, [
    { kind: "paste", text: "é\r\n\x1b[A 漢" },
    { kind: "text", text: "a" },
    { kind: "text", text: "b" },
    { kind: "key", name: "enter" },
    { kind: "key", name: "up" },
    { kind: "key", name: "ctrl-c" },
  ]);
  fc.assert(fc.property(fc.nat({ max: bytes.length }), fc.nat({ max: bytes.length }), (a, b) => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    assert.deepEqual(typed(new InputReader(), [bytes.slice(0, from), bytes.slice(from, to), bytes.slice(to)]), whole);
  }));
});
