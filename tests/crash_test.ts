/** `kill -9` at random points, and many processes at once: nothing lost, nothing doubled, nothing half. */
import assert from "node:assert/strict";
import {
  awaitPrompt,
  drop,
  dropPrompt,
  drops,
  followReply,
  pendingPrompts,
  pickup,
  readPrompt,
  replyState,
  replyStream,
  watch,
} from "../mod.ts";
import { child } from "./child.ts";
import { tempDir, tree, until } from "./fake_host.ts";

/** How often each kind of process is killed. */
const KILLS = 50;

/** A moment within the first `ms` milliseconds of a process's work. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms));

Deno.test("crash: consumers killed inside their handler lose nothing and double nothing unmarked (DUP-01)", async () => {
  await using dir = await tempDir();
  const log = `${dir.path}/log`;
  const sent = Array.from({ length: 400 }, (_, i) => `m${i}`);
  for (const text of sent) await drop(`${dir.path}/s`, text, { durable: false });
  for (let i = 0; i < KILLS; i++) {
    const consumer = child("drops_log", dir.path, "s", log, "4");
    assert.equal(await consumer.line(), "ready");
    assert.equal(await consumer.line(), "working");
    await pause(20);
    await consumer.kill();
  }
  const rest = child("drops_log", dir.path, "s", log, "0");
  await until(async () => (await tree(`${dir.path}/s`)).every((path) => path.startsWith(".deaddrop")));
  await rest.kill();
  const seen = (await Deno.readTextFile(log)).trimEnd().split("\n").map((line) => line.split(" "));
  assert.deepEqual([...new Set(seen.map(([text]) => text))].sort(), sent.toSorted());
  const handed = new Set<string>();
  let redelivered = 0;
  for (const [text, mark] of seen) {
    if (mark === "redelivered") redelivered++;
    else assert(!handed.has(text), `${text} was handed out twice without a mark`);
    handed.add(text);
  }
  assert(redelivered > 0, "some were killed with a message in their hands");
});

Deno.test("crash: responders killed in mid-stream leave prompts that come back and replies that never read as done", async () => {
  await using dir = await tempDir();
  const text = "0123456789 ".repeat(200);
  for (let i = 0; i < KILLS; i++) {
    const id = await dropPrompt(dir.path, "s", `question ${i}`, { durable: false });
    const responder = child("reply_slowly", dir.path, "s", id, text);
    await responder.line();
    await pause(12);
    await responder.kill();
    const state = await replyState(dir.path, "s", id);
    if (state === "done") {
      assert.equal((await Array.fromAsync(followReply(dir.path, "s", id))).join(""), text);
      continue;
    }
    assert(state === "stale" || state === "pending", state);
    assert.deepEqual(await pendingPrompts(dir.path, "s"), [id]);
    await replyStream(dir.path, "s", id, (w) => w.write("again"), { restart: true, durable: false });
    assert.equal((await Array.fromAsync(followReply(dir.path, "s", id))).join(""), "again");
  }
  assert.deepEqual(await pendingPrompts(dir.path, "s"), []);
});

Deno.test("crash: producers killed between temporary and rename show no half drop or bundle, and are swept (DISK-03)", async () => {
  await using dir = await tempDir();
  const body = "x".repeat(20_000);
  let whole = 0;
  for (let i = 0; i < KILLS; i++) {
    const producer = child("produce", dir.path, "s", body);
    await producer.line();
    await pause(15);
    await producer.kill();
  }
  for (let d = await pickup(`${dir.path}/s`); d !== null; d = await pickup(`${dir.path}/s`)) {
    assert.equal(d.content, body);
    whole++;
  }
  for (const id of await pendingPrompts(dir.path, "s")) {
    assert.deepEqual(await readPrompt(dir.path, "s", id), { "a.md": body, "b.md": body });
    whole++;
  }
  assert(whole > 0);
  const temps = async () => (await tree(dir.path)).filter((path) => /\.tmp-[0-9a-f]{32}\/?$/.test(path));
  await until(async () => {
    await watch(dir.path, () => {}, { sessionId: "s", maxIters: 0, tempMaxAgeMs: 1 });
    const signal = AbortSignal.abort();
    await awaitPrompt(dir.path, { sessionId: "s", tempMaxAgeMs: 1, signal }).catch(() => {});
    return (await temps()).length === 0;
  });
});

Deno.test("race: 8 processes send 5000 drops, 8 consume them: each exactly once, no exception", async () => {
  await using dir = await tempDir();
  const perProducer = 625;
  const consumers = Array.from({ length: 8 }, (_, i) => child("drops_log", dir.path, "s", `${dir.path}/log${i}`, "0"));
  for (const consumer of consumers) await consumer.line();
  const producers = Array.from({ length: 8 }, (_, i) => child("send", `${dir.path}/s`, `p${i}`, String(perProducer)));
  for (const producer of producers) assert.equal((await producer.done()).code, 0);
  await until(async () => (await tree(`${dir.path}/s`)).every((path) => path.startsWith(".deaddrop")), 120_000);
  for (const consumer of consumers) await consumer.kill();
  const got: string[] = [];
  for (let i = 0; i < 8; i++) {
    const log = await Deno.readTextFile(`${dir.path}/log${i}`).catch(() => "");
    got.push(...log.split("\n").filter((line) => line !== ""));
  }
  const sent = Array.from({ length: 8 }, (_, p) => Array.from({ length: perProducer }, (_, i) => `p${p}-${i} first`));
  assert.deepEqual(got.toSorted(), sent.flat().toSorted());
});

Deno.test("crash: drops() marks nothing that no earlier consumer had", async () => {
  await using dir = await tempDir();
  await drop(`${dir.path}/s`, "fresh");
  for await (const d of drops(dir.path, { sessionId: "s" })) {
    assert.equal(d.redelivered, false);
    await d.ack();
    break;
  }
});
