import assert from "node:assert/strict";
import { tempDir } from "../fake_host.ts";
import { until } from "../tmux_server.ts";
import { endAgents, processesOf } from "./end.ts";
import { agentCommand } from "./install.ts";
import { AGENT_SETUPS } from "./setups.ts";

/** The parts that need no agent: what it is started with, and its end. */

Deno.test("agents: each starts in its own home with nothing of this environment, whatever the paths are called", async () => {
  await using dir = await tempDir();
  const place = { home: `${dir.path}/home`, project: `${dir.path}/it's $(here)`, modelUrl: "http://127.0.0.1:1/x" };
  for (const setup of AGENT_SETUPS) {
    const print = { ...setup, args: ["-c", "pwd; env"] };
    const command = await agentCommand(print, "/bin/sh", place);
    const { stdout } = await new Deno.Command("bash", { args: ["-c", command], env: { SECRET: "x" } }).output();
    const [cwd, ...env] = new TextDecoder().decode(stdout).trim().split("\n");
    assert.equal(cwd, place.project);
    assert(env.includes(`HOME=${place.home}`) && !env.includes("SECRET=x"), setup.agent);
    assert(env.some((line) => line.includes(place.modelUrl)), setup.agent);
    for (const name of Object.keys(setup.files(place))) JSON.parse(await Deno.readTextFile(`${place.home}/${name}`));
  }
});

Deno.test("agents: versions are exact", () => {
  for (const { version } of AGENT_SETUPS) assert.match(version, /^\d+\.\d+\.\d+$/);
});

Deno.test("agents: those that outlive their parent are found by their home, and ended", async () => {
  await using dir = await tempDir();
  const home = `${dir.path}/home`;
  // One ends when asked, one does not; their parent is gone at once.
  const script = "sleep 1000 & (trap '' TERM; while :; do sleep 1; done) &";
  const parent = new Deno.Command("env", {
    args: ["-i", `HOME=${home}`, "sh", "-c", script],
    stdout: "null",
    stderr: "null",
  });
  await parent.output();
  await until("the orphans", () => processesOf(home).length >= 2 || null);
  assert.deepEqual(processesOf(`${home}-of-another`), []);
  await endAgents(home);
  assert.deepEqual(processesOf(home), []);
});
