import assert from "node:assert/strict";
import { inRange, loadProfiles, readProfiles } from "./profile.ts";
import codex from "./profiles/codex.json" with { type: "json" };

Deno.test("readProfiles: the release's own profiles are as the schema wants them, one for each agent", () => {
  const read = readProfiles();
  assert(read.ok);
  assert.deepEqual(
    read.profiles.map(({ agent }) => agent),
    ["claude", "cline", "codex", "continue", "copilot", "gemini", "opencode", "qwen"],
  );
});

Deno.test("readProfiles: a person's profile takes the place of the release's, the others stay", () => {
  const read = readProfiles(JSON.stringify({ ...codex, comment: "mine" }));
  assert(read.ok);
  assert.equal(read.profiles.length, 8);
  assert.equal(read.profiles.find(({ agent }) => agent === "codex")?.comment, "mine");
});

Deno.test("readProfiles: what is wrong with a person's file is said with its place", () => {
  const broken = readProfiles(
    JSON.stringify([{ ...codex, busy: [{ in: "title", match: "(", why: "" }] }]),
    "mine.json",
  );
  assert(!broken.ok);
  assert.match(broken.problem, /mine\.json: 0\.busy\.0\.match: is no regular expression/);
  const misspelt = readProfiles(JSON.stringify({ ...codex, buzy: [] }), "mine.json");
  assert(!misspelt.ok);
  assert.match(misspelt.problem, /buzy/);
  assert.equal(readProfiles("{").ok, false);
});

Deno.test("loadProfiles: a file that is not there changes nothing", async () => {
  assert.deepEqual(await loadProfiles(new URL("./no-such-file.json", import.meta.url)), readProfiles());
});

Deno.test("inRange: versions are compared number by number", () => {
  assert(inRange("2.1.332", ">=2.1 <3"));
  assert(inRange("0.15.10", ">=0.15 <0.24"));
  assert(!inRange("0.24.4", ">=0.15 <0.24"));
  assert(!inRange("2.0.999", ">=2.1 <3"));
});
