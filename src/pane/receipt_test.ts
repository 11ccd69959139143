import assert from "node:assert/strict";
import { dirname } from "node:path";
import { envelopeMarks, makeEnvelope } from "./envelope.ts";
import { readProfiles } from "./profile.ts";
import { findReceipt, type ReceiptQuery } from "./receipt.ts";

const deliveryId = "7f3a19c2";
const CLAUDE = ".claude/projects/{cwd}/*.jsonl";
const SINCE = new Date("2030-01-01T12:00:00Z");
const before = new Date(SINCE.getTime() - 60_000);

/** A home directory with session files in it. */
async function homeOf(files: Record<string, { text: string; changed?: Date }>) {
  const home = await Deno.makeTempDir({ prefix: "deaddrop-home-" });
  for (const [name, { text, changed = SINCE }] of Object.entries(files)) {
    await Deno.mkdir(dirname(`${home}/${name}`), { recursive: true });
    await Deno.writeTextFile(`${home}/${name}`, text);
    await Deno.utime(`${home}/${name}`, changed, changed);
  }
  const query: ReceiptQuery = { pattern: CLAUDE, home, cwd: "/home/dev/my.repo", deliveryId, sinceMs: SINCE.getTime() };
  return { home, query, [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
}

function turn(text: string): string {
  const envelope = makeEnvelope(text, { deliveryId });
  assert.equal(envelope.kind, "inline");
  return `${
    JSON.stringify({ type: "user", message: { role: "user", content: envelope.kind === "inline" && envelope.text } })
  }\n`;
}

Deno.test("receipt: found in the session file of each agent", async () => {
  const read = readProfiles();
  assert(read.ok);
  for (const { agent, receipt: { path: pattern } } of read.profiles) {
    const name = pattern.replace("{cwd}", "-home-dev-my-repo").replaceAll("*", "x");
    await using dir = await homeOf({ [name]: { text: `{}\n${turn('say "hi"\nüber')}` } });
    assert.deepEqual(
      await findReceipt({ ...dir.query, pattern }),
      { kind: "found", path: `${dir.home}/${name}` },
      agent,
    );
  }
});

Deno.test("receipt: a working directory with a long name has a short one there", async () => {
  const cwd = `/${"long_dir".repeat(30)}`;
  const dir = `-${"long-dir".repeat(30)}`.slice(0, 200);
  await using place = await homeOf({ [`.claude/projects/${dir}-wvysx/a.jsonl`]: { text: turn("x") } });
  assert.equal((await findReceipt({ ...place.query, cwd })).kind, "found");
});

Deno.test("receipt: another id, or only the first word of ours, is none", async () => {
  const text = `${JSON.stringify(envelopeMarks("00000000"))} ${deliveryId} ${envelopeMarks(deliveryId).first}\n`;
  await using dir = await homeOf({ ".claude/projects/-home-dev-my-repo/a.jsonl": { text } });
  assert.deepEqual(await findReceipt(dir.query), { kind: "absent", complete: true });
});

Deno.test("receipt: files of before, of another directory and of another kind are not read", async () => {
  await using dir = await homeOf({
    ".claude/projects/-home-dev-my-repo/old.jsonl": { text: turn("x"), changed: before },
    ".claude/projects/-home-dev-other/a.jsonl": { text: turn("x") },
    ".claude/projects/-home-dev-my-repo/a.txt": { text: turn("x") },
    ".claude/history.jsonl": { text: turn("x") },
  });
  assert.deepEqual(await findReceipt(dir.query), { kind: "no-files", complete: true });
});

Deno.test("receipt: a bound that was reached is said", async () => {
  const later = new Date(SINCE.getTime() + 1000);
  await using dir = await homeOf({
    ".claude/projects/-home-dev-my-repo/a.jsonl": { text: turn("x") + "y".repeat(500) },
    ".claude/projects/-home-dev-my-repo/b.jsonl": { text: "y", changed: later },
  });
  assert.deepEqual(await findReceipt(dir.query, { maxBytes: 500 }), { kind: "absent", complete: false });
  assert.deepEqual(await findReceipt(dir.query, { maxFiles: 1 }), { kind: "absent", complete: false });
  assert.equal((await findReceipt(dir.query, { maxBytes: 600 })).kind, "found");
});

Deno.test("receipt: no home is an answer", async () => {
  await using dir = await homeOf({});
  assert.deepEqual(await findReceipt({ ...dir.query, home: `${dir.home}/none` }), { kind: "no-files", complete: true });
});
