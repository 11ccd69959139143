import assert from "node:assert/strict";
import { holderOf } from "./agent.ts";
import type { PaneProcess } from "./facts.ts";
import { readProfiles } from "./profile.ts";

const read = readProfiles();
assert(read.ok);
const { profiles } = read;

/** A chain of processes under a shell, each as its name and arguments. */
function chain(foreground: boolean | null, ...programs: (readonly string[])[]): PaneProcess[] {
  return [["bash", "-bash"], ...programs].map(([comm, ...argv], depth) => ({
    depth,
    comm,
    argv,
    pid: null,
    foreground: depth === 0 && foreground !== null ? programs.length === 0 || !foreground : foreground,
  }));
}

function agentsOf(command: string, processes: readonly PaneProcess[]): string[] | string {
  const holder = holderOf({ command, processes }, profiles);
  return holder.kind === "agent" ? holder.suspects.map(({ agent }) => agent) : holder.kind;
}

Deno.test("holderOf: agents that are all called node are told apart by their arguments", () => {
  const scripts = {
    gemini: "/n/bin/gemini",
    qwen: "/n/@qwen-code/qwen-code/cli.js",
    copilot: "/n/bin/copilot",
    continue: "/n/cn",
  };
  for (const [agent, script] of Object.entries(scripts)) {
    const processes = chain(true, ["node", "/usr/bin/node", "--expose-gc", script], ["node", "/usr/bin/node", script]);
    assert.deepEqual(agentsOf("node", processes), [agent]);
  }
  assert.equal(agentsOf("node", chain(true, ["node", "node", "server.js", "/n/bin/gemini"])), "other");
  assert.equal(agentsOf("node", chain(true, ["node", "node"])), "other");
});

Deno.test("holderOf: without arguments a runtime's name is only a suspicion", () => {
  const holder = holderOf({ command: "node", processes: chain(null, ["node"]) }, profiles);
  assert(holder.kind === "agent" && !holder.certain && holder.suspects.length > 1);
});

Deno.test("holderOf: an agent that was stopped or ended leaves the keys to the shell (SHELL-01)", () => {
  assert.equal(agentsOf("bash", chain(false, ["claude", "claude"])), "shell");
  assert.equal(agentsOf("bash", chain(null, ["claude"])), "shell");
  assert.equal(agentsOf("zsh", []), "shell");
});

Deno.test("holderOf: an agent under a wrapper script has the keys, its tools do not change who it is", () => {
  const [shell, ...rest] = chain(true, ["sh", "sh", "wrap.sh"], ["claude", "claude"], ["bash", "bash", "-c", "x"], [
    "sleep",
    "sleep",
  ]);
  assert.deepEqual(agentsOf("sh", [shell, ...rest]), ["claude"]);
});

Deno.test("holderOf: a daemon of an agent, a pager and an editor that an agent opened are not the agent", () => {
  assert.equal(agentsOf("codex", chain(true, ["codex", "/n/bin/codex", "app-server"])), "other");
  assert.equal(agentsOf("less", chain(true, ["less", "less", "claude.txt"])), "other");
  assert.equal(agentsOf("claude", chain(true, ["claude", "claude"], ["vim", "vim", "/tmp/prompt.md"])), "other");
});
