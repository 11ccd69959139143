/**
 * The real agents in real tmux, typed into by `inject`, against the mock model: `deno test -A tests/agents/real_agents.ts`. Its name keeps
 * it out of the ordinary run, since a machine that never did this installs 400 MB of agents first.
 */
import assert from "node:assert/strict";
import { filePorts } from "../../src/cli/pane_state.ts";
import { makeEnvelope } from "../../src/pane/envelope.ts";
import { inject } from "../../src/pane/inject.ts";
import { lockPane } from "../../src/pane/pane_lock.ts";
import { type Probe, probePane } from "../../src/pane/probe.ts";
import { processTable } from "../../src/pane/process_tree.ts";
import { readProfiles } from "../../src/pane/profile.ts";
import { recogniseAgent } from "../../src/pane/recognise.ts";
import { resolveSessionPane } from "../../src/pane/target.ts";
import { MockModel } from "../mock_model.ts";
import { refOf, TestServer } from "../tmux_server.ts";
import { endAgents, processesOf } from "./end.ts";
import { agentCommand, installAgent } from "./install.ts";
import { AGENT_SETUPS, type AgentSetup } from "./setups.ts";

const read = readProfiles();
assert(read.ok);
const { profiles } = read;

/** Longer than the slowest agent takes to start on a busy machine of two cores. */
const WAIT_MS = 60_000;
const LOOK_MS = 100;

/** What agents and terminals may take for something else; none of it may go by file. */
const INLINE = [
  "say; hello über 漢字 👩‍👩‍👧 עברית $(touch x) `touch y` \"quotes\" 'too' C-c & @nowhere.md /help \\",
  "!touch x\n/exit\n# a note that ends with a backslash \\",
];
const LONG = "0123456789abcdef ".repeat(1200).slice(0, 19_999) + "x";

for (const setup of AGENT_SETUPS) {
  Deno.test(`real agent ${setup.agent}: takes each message whole, none while it asks for permission, and leaves nothing`, async () => {
    let remains: string[];
    {
      await using it = await startAgent(setup);
      remains = [it.server.dir, it.socket];
      const texts: string[] = [];
      for (const message of [...INLINE, LONG]) {
        const { text, file, ...result } = await it.sendIdle(message);
        assert.equal(result.state, "submitted", `${message.slice(0, 80)}: ${JSON.stringify(result)}`);
        texts.push(text);
        assert.deepEqual(await it.received(text), texts);
        if (message === LONG) assert.equal(await Deno.readTextFile(file), LONG);
        else assert(text.includes(message));
      }

      it.model.set(setup.agent, { kind: "tool", command: "touch approved" });
      const asked = await it.sendIdle("Run the tool.");
      assert.equal(asked.state, "submitted", JSON.stringify(asked));
      await it.reach("modal");
      const kept = await it.send("Yes");
      assert.equal(kept.state === "held" && kept.reason, "modal", JSON.stringify(kept));
      assert.equal((await it.probe()).state, "modal");

      await it.end();
      assert.deepEqual(await it.received(asked.text), [...texts, asked.text]);
      // Qwen Code's memory extractor asks beside the conversation, is told to use the tool as well, and denies it to itself.
      const later = it.model.requests.filter(({ users, afterTool }) => afterTool && users.includes(asked.text));
      assert.deepEqual(later, [], "a tool gave its result");
      assert.equal(it.model.requests.some(({ users }) => users.some((text) => text.includes(kept.text))), false);
      assert.deepEqual([...Deno.readDirSync(it.place.project)].map(({ name }) => name), [], "a command was run");
      assert.deepEqual(processesOf(it.place.home), []);
    }
    for (const path of remains) await assert.rejects(Deno.lstat(path), Deno.errors.NotFound);
  });
}

/** An agent in a pane called `cell`, in a home of its own, on a server of its own. */
async function startAgent(setup: AgentSetup) {
  const { agent } = setup;
  const program = await installAgent(setup);
  await using cleanup = new AsyncDisposableStack();
  const model = cleanup.use(new MockModel());
  const server = cleanup.use(new TestServer());
  const place = { home: `${server.dir}/home`, project: `${server.dir}/project`, modelUrl: `${model.url}/${agent}` };
  const end = () => endAgents(place.home);
  cleanup.defer(end);
  const pane = await server.session("cell", await agentCommand(setup, program, place));
  const socket = await server.tmux("display-message", "-p", "#{socket_path}");
  const multiplexer = cleanup.use(server.open());
  const processes = processTable();
  const look = { multiplexer, processes, profiles };
  const ref = await refOf(multiplexer, pane);
  let deliveries = 0;

  async function probe(): Promise<Probe> {
    const answer = await probePane(ref, look);
    assert(answer.ok, JSON.stringify(answer));
    return answer.value;
  }

  /** Awaits a condition of the pane or the model; shows the pane when it never comes true. */
  async function until(what: string, condition: () => boolean | Promise<boolean>) {
    for (const deadline = performance.now() + WAIT_MS; !await condition();) {
      if (performance.now() > deadline) {
        const { state, evidence } = await probe();
        const screen = await server.tmux("capture-pane", "-p", "-t", pane);
        assert.fail(`${agent} never came to ${what}; it is ${state}: ${evidence.join(" ")}\n${screen}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Finds the agent by name and types into its pane, as the program does. */
  async function send(message: string) {
    const deliveryId = `real${String(++deliveries).padStart(4, "0")}`;
    const file = `${server.dir}/${deliveryId}.md`;
    const envelope = makeEnvelope(message, { deliveryId, file });
    assert(envelope.kind !== "refused");
    const found = await resolveSessionPane("cell", { multiplexer, processes, recognise: recogniseAgent(profiles) });
    assert(found.ok && found.agent === agent, JSON.stringify(found));
    const result = await inject(found.pane.ref, message, {
      ...look,
      deliveryId,
      file,
      ports: {
        lock: (ref) => lockPane(`${server.dir}/locks`, ref),
        recordAttempt: () => Promise.resolve(),
        writeFile: async (_, content) => (await Deno.writeTextFile(file, content), file),
        receipt: filePorts(profiles).receipt,
      },
    });
    return { ...result, text: envelope.text, file };
  }

  const reach = (state: Probe["state"]) => until(state, async () => (await probe()).state === state);

  /** Sends to an idle agent; one that redraws itself just then holds the message, which is sent anew. */
  async function sendIdle(message: string) {
    for (const deadline = performance.now() + WAIT_MS;;) {
      await reach("idle");
      const sent = await send(message);
      if (sent.state !== "held" || sent.reason !== "busy" || performance.now() > deadline) return sent;
    }
  }

  /** Awaits the request that brings `text`; returns our messages in it, oldest first, without the agent's own words. */
  async function received(text: string): Promise<string[]> {
    const request = () => model.requests.find(({ users }) => users.includes(text));
    await until("tell the model", () => request() !== undefined);
    return request()!.users.filter((each) => each.includes("[deaddrop "));
  }

  const mine = cleanup.move();
  return {
    model,
    server,
    place,
    socket,
    probe,
    send,
    sendIdle,
    received,
    end,
    reach,
    [Symbol.asyncDispose]: () => mine.disposeAsync(),
  };
}
