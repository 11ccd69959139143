/** A scripted agent in real tmux, and `inject` with everything around it as in the program, only quicker. */
import assert from "node:assert/strict";
import { inject, type Injection } from "../src/pane/inject.ts";
import { lockPane } from "../src/pane/pane_lock.ts";
import { processTable } from "../src/pane/process_tree.ts";
import { readProfiles } from "../src/pane/profile.ts";
import { findReceipt } from "../src/pane/receipt.ts";
import { recogniseAgent } from "../src/pane/recognise.ts";
import { resolveSessionPane } from "../src/pane/target.ts";
import { ScriptedAgent, type StartOptions } from "./scripted_agent/start.ts";
import { TestServer, until } from "./tmux_server.ts";

const read = readProfiles();
assert(read.ok);
const { profiles } = read;

/** Milliseconds between two looks; the program takes more time over it. */
const LOOK_MS = 60;

/** An agent called `cell` on a server of its own. */
export async function injectLab(options: StartOptions = {}) {
  const server = new TestServer();
  const agent = await ScriptedAgent.start(server, "cell", {
    ...options,
    behaviour: { receipts: true, turnMs: 200, ...options.behaviour },
  });
  const multiplexer = server.open();
  const processes = processTable();
  const files = new Map<string, string>();
  let last = 0;

  /** Finds the agent by name and types `text` into its pane. */
  async function send(text: string, name = "cell"): Promise<Injection & { readonly deliveryId: string }> {
    await until("the end of the turn before", async () => {
      const log = await agent.log();
      const count = (event: string) => log.filter((entry) => entry.event === event).length;
      return count("turn") === count("turn-end") || null;
    });
    const deliveryId = `test${String(++last).padStart(8, "0")}`;
    const found = await resolveSessionPane(name, { multiplexer, processes, recognise: recogniseAgent(profiles) });
    if (!found.ok) return { state: "held", reason: "gone", evidence: [found.message], deliveryId };
    const result = await inject(found.pane.ref, text, {
      multiplexer,
      processes,
      profiles,
      lookMs: LOOK_MS,
      deliveryId,
      file: `${agent.dir}/${deliveryId}.md`,
      ports: {
        lock: (pane) => lockPane(`${server.dir}/locks`, pane),
        recordAttempt: () => Promise.resolve(),
        writeFile: (id, content) => (files.set(id, content), Promise.resolve(`${agent.dir}/${id}.md`)),
        receipt: (_, id, sinceMs) =>
          findReceipt({
            pattern: ".claude/projects/{cwd}/*.jsonl",
            home: agent.dir,
            cwd: server.dir,
            deliveryId: id,
            sinceMs,
          }),
      },
    });
    return { ...result, deliveryId };
  }

  return {
    server,
    agent,
    send,
    /** What went by file, by delivery id. */
    files,
    async [Symbol.asyncDispose]() {
      await multiplexer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
