/**
 * The defects of the existing tool, by their row in the protocol's table, each beaten.
 * A row may have several tests; every row has at least one.
 */
import assert from "node:assert/strict";
import {
  awaitPrompt,
  DeadDropError,
  type DeadDropErrorCode,
  DONE_MARKER,
  drop,
  dropBundle,
  dropPrompt,
  drops,
  ensureMachineInfo,
  followFile,
  followReply,
  nextPrompt,
  pendingPrompts,
  pickup,
  prompts,
  readBundle,
  readPrompt,
  replyState,
  replyStream,
  respondPrompt,
  sessionInfo,
  type Skipped,
  stream,
  watch,
  type WatchOptions,
} from "../mod.ts";
import { fakeHost, systemError, tempDir, tree, until } from "./fake_host.ts";
import { peerSaysComplete } from "./peer_reader.ts";
import { child } from "./child.ts";

const failsWith = (code: DeadDropErrorCode) => (error: unknown) =>
  error instanceof DeadDropError && error.code === code;
const visible = async (dir: string) => (await tree(dir)).filter((path) => !/(^|\/)\./.test(path));

/** Watches session `s` until stopped. */
function watching(dir: string, options: WatchOptions = {}) {
  const stop = new AbortController();
  const got: unknown[] = [];
  const ended = watch(dir, (d) => got.push(d.content), { sessionId: "s", pollMs: 20, ...options, signal: stop.signal });
  return {
    got,
    async stop() {
      const reason = new Error("stopped by the test");
      stop.abort(reason);
      await assert.rejects(ended, reason);
    },
  };
}

Deno.test("row 1: a message whose callback throws is put back", async () => {
  await using dir = await tempDir();
  await drop(`${dir.path}/s`, "work");
  const boom = new Error("boom");
  await assert.rejects(watch(dir.path, () => Promise.reject(boom), { sessionId: "s" }), boom);
  assert.equal(await watch(dir.path, (d) => assert.equal(d.content, "work"), { sessionId: "s", maxIters: 1 }), 1);
});

Deno.test("row 1: a message whose consumer is killed inside the handler is delivered again, marked", async () => {
  await using dir = await tempDir();
  await drop(`${dir.path}/s`, "work");
  const killed = child("drops_hang", dir.path, "s");
  await killed.line(); // the handler has the message
  await killed.kill();
  for await (const got of drops(dir.path, { sessionId: "s" })) {
    assert.equal(got.content, "work");
    assert.equal(got.redelivered, true);
    await got.ack();
    break;
  }
  assert.equal(await pickup(`${dir.path}/s`), null);
});

Deno.test("row 1: another machine's abandoned claim comes back after its lease, not before", async () => {
  await using dir = await tempDir();
  await drop(dir.path, "work");
  const elsewhere = fakeHost({ bootTag: "0badcafe", noLocks: true }).host;
  const other = await import("../src/drop/drop.ts");
  const taken = await other.take(elsewhere, dir.path, (await visible(dir.path))[0], { leaseMs: 1e9 });
  assert.equal(await pickup(dir.path, { leaseMs: 60_000 }), null, "its lease is fresh");
  const later = fakeHost({ clockOffsetMs: 3_600_000 }).host;
  assert.equal(
    await pickup(dir.path, { leaseMs: 60_000, host: later }),
    null,
    "our clock being an hour ahead is no age",
  );
  await until(async () => (await pickup(dir.path, { leaseMs: 0 }))?.redelivered === true);
  await taken?.putBack();
});

Deno.test("row 2: many consumers of one directory: each message once, no exception", async () => {
  await using dir = await tempDir();
  const sent = Array.from({ length: 200 }, (_, i) => `message ${i}`);
  for (const text of sent) await drop(dir.path, text, { durable: false });
  const got: string[] = [];
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let d = await pickup(dir.path); d !== null; d = await pickup(dir.path)) got.push(String(d.content));
  }));
  assert.deepEqual(got.sort(), sent.sort());
});

Deno.test("row 3: a newer text under the name of one being handled is not deleted with it", async () => {
  await using dir = await tempDir();
  await drop(`${dir.path}/s`, "old", { name: "job" });
  const got: unknown[] = [];
  for await (const d of drops(dir.path, { sessionId: "s" })) {
    got.push(d.content);
    if (got.length === 1) await drop(`${dir.path}/s`, "new", { name: "job" });
    await d.ack();
    if (got.length === 2) break;
  }
  assert.deepEqual(got, ["old", "new"]);
});

Deno.test("row 4: a message that is no UTF-8 is bytes, and blocks nobody", async () => {
  await using dir = await tempDir();
  await drop(dir.path, new Uint8Array([0xff, 0x00, 0x0d, 0x0a]), { name: "a" });
  await drop(dir.path, "good", { name: "b" });
  assert.deepEqual((await pickup(dir.path))?.content, new Uint8Array([0xff, 0x00, 0x0d, 0x0a]));
  assert.equal((await pickup(dir.path))?.content, "good");
});

Deno.test("row 4: an entry that cannot be read is reported once and the rest goes on (DISK-04, SYNC-04)", async () => {
  await using dir = await tempDir();
  await drop(`${dir.path}/s`, "poison", { name: "a" });
  await drop(`${dir.path}/s`, "good", { name: "b" });
  let failures = 0;
  const { host } = fakeHost({
    fail: (call, path) =>
      call === "open" && path.endsWith("/a") && ++failures <= 5 ? systemError("EDEADLK", "not downloaded") : undefined,
  });
  const skipped: Skipped[] = [];
  const { got, stop } = watching(dir.path, { host, pollMs: 1, onSkip: (s) => skipped.push(s) });
  await until(() => got.length === 1 && skipped.length === 1);
  await drop(`${dir.path}/s`, "more", { name: "c" });
  await until(() => got.length === 2);
  await stop();
  assert.deepEqual(got, ["good", "more"]);
  assert.deepEqual(skipped.map((s) => [s.reason, s.path.endsWith("/a")]), [["unreadable", true]]);
  assert(failures <= 2, `${failures} reads of an entry that cannot be read`);
});

for (
  const [fault, faults] of Object.entries({
    "no events": { noEvents: true },
    "silent events": { silentEvents: true },
    "time stamps of 2 s": { mtimeStepMs: 2_000, noEvents: true },
    "a frozen time stamp": { frozenMtime: true, noEvents: true, instantSleep: true },
    "a clock an hour ahead": { clockOffsetMs: 3_600_000, noEvents: true },
    "a clock an hour behind": { clockOffsetMs: -3_600_000, noEvents: true },
  })
) {
  Deno.test(`row 5: no wake is lost with ${fault} (CLOCK-01, NETFS-01, NETFS-05)`, async () => {
    await using dir = await tempDir();
    const { host } = fakeHost(faults);
    const { got, stop } = watching(dir.path, { host });
    for (const text of ["one", "two", "three"]) {
      await drop(`${dir.path}/s`, text);
      await until(() => got.at(-1) === text);
    }
    await stop();
    assert.deepEqual(got, ["one", "two", "three"]);
  });
}

Deno.test("row 5: a directory whose time stamp is set back, as rsync -a does, loses no wake", async () => {
  await using dir = await tempDir();
  const { host } = fakeHost({ noEvents: true });
  const { got, stop } = watching(dir.path, { host });
  for (const text of ["one", "two", "three"]) {
    await drop(`${dir.path}/s`, text);
    await Deno.utime(`${dir.path}/s`, new Date(0), new Date(text === "two" ? 8.64e12 : 0));
    await until(() => got.at(-1) === text);
  }
  await stop();
  assert.deepEqual(got, ["one", "two", "three"]);
});

const HOSTILE = [
  "..",
  ".",
  "../x",
  "/x",
  "a/b",
  "a\\b",
  "C:x",
  "con",
  "Lpt1.txt",
  "x\0y",
  "x\ny",
  "n".repeat(300),
  "é".repeat(150),
  ".hidden",
  "dot.",
  "blank ",
  " blank",
  "\ud800",
  "a\u202eb",
  "what?",
  "",
];
for (const name of HOSTILE) {
  Deno.test(`row 6: the name ${JSON.stringify(name).slice(0, 40)} is refused at every entry (PATH-01)`, async () => {
    await using dir = await tempDir();
    const root = `${dir.path}/root`;
    const refused = (work: Promise<unknown>) => assert.rejects(work, failsWith("bad-input"));
    await refused(drop(root, "x", { name }));
    await refused(dropBundle(root, { [name]: "x" }));
    await refused(dropBundle(root, { a: "x" }, { id: name }));
    await refused(dropPrompt(root, name, "x"));
    await refused(dropPrompt(root, "s", { [name]: "x" }));
    await refused(readPrompt(root, name, "p"));
    await refused(readPrompt(root, "s", name));
    await refused(pendingPrompts(root, name));
    await refused(awaitPrompt(root, { sessionId: name }));
    await refused(watch(root, () => {}, { sessionId: name }));
    await refused(drops(root, { sessionId: name }).next());
    await refused(sessionInfo(root, name));
    await refused(stream(root, name, () => {}));
    await refused(replyStream(root, name, "p", () => {}));
    await refused(replyStream(root, "s", name, () => {}));
    await refused(replyStream(root, "s", "p", () => {}, { name }));
    await refused(replyState(root, name, "p"));
    await refused(replyState(root, "s", name));
    await refused(followReply(root, name, "p").next());
    await refused(followReply(root, "s", name).next());
    await refused(followReply(root, "s", "p", { name }).next());
    await refused(respondPrompt(name, { dir: root, text: "x" }));
    assert.deepEqual(await tree(dir.path), [], "nothing is left behind");
  });
}

Deno.test("row 6: a name in a manifest from outside cannot leave the bundle (PATH-02)", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/secret`, "s");
  await Deno.mkdir(`${dir.path}/b`);
  const manifest = { v: 1, files: [{ name: "../secret", size: 1, sha256: "0" }] };
  await Deno.writeTextFile(`${dir.path}/b/.manifest.json`, JSON.stringify(manifest));
  await assert.rejects(readBundle(`${dir.path}/b`), failsWith("arriving"));
});

Deno.test("row 7: links are never followed: drops, bundles, replies, sessions (PATH-03)", async () => {
  await using dir = await tempDir();
  const secret = `${dir.path}/secret`;
  await Deno.writeTextFile(secret, `secret\n${DONE_MARKER}\n`);
  const root = `${dir.path}/root`;
  await Deno.mkdir(`${root}/s/outbox`, { recursive: true });
  await Deno.symlink(secret, `${root}/s/drop`);
  await Deno.symlink(secret, `${root}/s/outbox/p.md`);
  await Deno.symlink(dir.path, `${root}/linked`);
  assert.equal(await pickup(`${root}/s`), null);
  assert.equal(await pickup(`${root}/s`, { delete: false }), null);
  await assert.rejects(followReply(root, "s", "p").next(), failsWith("wrong-kind"));
  assert.equal(await replyState(root, "s", "p"), "pending");
  await assert.rejects(dropPrompt(root, "linked", "x"), failsWith("wrong-kind"));
  const bundle = await dropBundle(root, { "a.txt": "a" }, { id: "b" });
  await Deno.remove(`${bundle}/a.txt`);
  await Deno.symlink(secret, `${bundle}/a.txt`);
  await assert.rejects(readBundle(bundle), failsWith("wrong-kind"));
  assert.equal(await Deno.readTextFile(secret), `secret\n${DONE_MARKER}\n`);
});

Deno.test("row 7: a pipe in the box is passed over without waiting for its other end", async () => {
  await using dir = await tempDir();
  const made = await new Deno.Command("mkfifo", { args: [`${dir.path}/a`] }).output();
  assert(made.success);
  await drop(dir.path, "good", { name: "b" });
  assert.equal((await pickup(dir.path))?.content, "good");
});

Deno.test("row 8: a finished reply is not touched by a second answer", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const path = await replyStream(dir.path, "s", id, (w) => w.write("first"));
  for (const restart of [false, true]) {
    const again = replyStream(dir.path, "s", id, (w) => w.write("second"), { restart });
    await assert.rejects(again, failsWith("reply-taken"));
  }
  assert.equal(await Deno.readTextFile(path), `first\n${DONE_MARKER}\n`);
});

Deno.test("row 8: of two writers at once one writes and the other is refused", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const open = Promise.withResolvers<void>();
  const first = replyStream(dir.path, "s", id, async (w) => {
    await w.write("first");
    await open.promise;
  });
  await until(async () => await replyState(dir.path, "s", id) === "streaming");
  for (const restart of [false, true]) {
    await assert.rejects(replyStream(dir.path, "s", id, () => {}, { restart }), failsWith("reply-taken"));
  }
  open.resolve();
  assert.equal(await Deno.readTextFile(await first), `first\n${DONE_MARKER}\n`);
});

Deno.test("row 9: a prompt whose responder was killed in mid-stream comes back, and is restarted by choice", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const killed = child("reply_hang", dir.path, "s", id);
  await killed.line(); // half a reply is on disk
  assert.equal(await replyState(dir.path, "s", id), "streaming");
  assert.deepEqual(await pendingPrompts(dir.path, "s"), []);
  await killed.kill();
  assert.equal(await replyState(dir.path, "s", id), "stale");
  assert.deepEqual(await pendingPrompts(dir.path, "s"), [id]);
  const again = await awaitPrompt(dir.path, { sessionId: "s" });
  assert.deepEqual([again.id, again.abandoned, again.redelivered], [id, true, true]);
  await assert.rejects(replyStream(dir.path, "s", id, () => {}), failsWith("reply-taken"));
  await replyStream(dir.path, "s", id, (w) => w.write("whole"), { restart: true });
  assert.equal(await replyState(dir.path, "s", id), "done");
  assert.equal((await Array.fromAsync(followReply(dir.path, "s", id))).join(""), "whole");
  const kept = (await tree(`${dir.path}/s/outbox`)).find((name) => name.startsWith(".abandoned-"));
  assert.equal(await Deno.readTextFile(`${dir.path}/s/outbox/${kept}`), "half a", "what it held is kept");
});

Deno.test("row 9: a reply that its body gave up reads as stale and the prompt is pending again", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const giveUp = replyStream(dir.path, "s", id, async (w) => {
    await w.write("half");
    throw new Error("no idea");
  });
  await assert.rejects(giveUp, /no idea/);
  assert.equal(await replyState(dir.path, "s", id), "stale");
  assert.deepEqual(await pendingPrompts(dir.path, "s"), [id]);
});

Deno.test("row 10: of two responders one gets the prompt", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const first = await awaitPrompt(dir.path, { sessionId: "s" });
  assert.equal(first.id, id);
  const second = awaitPrompt(dir.path, { sessionId: "s", pollMs: 5, timeoutMs: 50 });
  await assert.rejects(second, failsWith("timeout"));
});

Deno.test("row 10: a prompt that was handed out and not answered is offered again after its lease", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  await awaitPrompt(dir.path, { sessionId: "s", leaseMs: 1 });
  const again = await awaitPrompt(dir.path, { sessionId: "s", pollMs: 5 });
  assert.deepEqual([again.id, again.redelivered, again.abandoned], [id, true, false]);
});

Deno.test("row 11: a follower reads each byte once, near enough", async () => {
  await using dir = await tempDir();
  const { host, counters } = fakeHost();
  const writing = stream(dir.path, "f", async (w) => {
    for (let i = 0; i < 200; i++) await w.write(`${i} `.repeat(512));
  });
  let length = 0;
  for await (const text of followFile(`${dir.path}/f`, { host, pollMs: 1 })) length += text.length;
  await writing;
  assert(counters.bytesRead <= 1.1 * length, `${counters.bytesRead} bytes read of ${length}`);
});

Deno.test("row 12: a reply read in single bytes has all its characters (TORN-01)", async () => {
  await using dir = await tempDir();
  const text = "é 漢字 👩‍👩‍👧 ".repeat(50);
  await stream(dir.path, "f", (w) => w.write(text));
  for (const readBytes of [1, 2, 3, 5]) {
    const { host } = fakeHost({ readBytes });
    assert.equal((await Array.fromAsync(followFile(`${dir.path}/f`, { host }))).join(""), text);
  }
});

Deno.test("row 13: a reply that pauses after quoting the marker is not cut, for us or the peer (MARK-01, MARK-02)", async () => {
  await using dir = await tempDir();
  const parts = ["It ends with\n---DO", "NE---", "\n", "and ", "nothing after.\n", `${DONE_MARKER}\n`, " \n"];
  const path = `${dir.path}/f`;
  const followed = Array.fromAsync(followFile(path, { pollMs: 1 }));
  await stream(dir.path, "f", async (w) => {
    for (const part of parts) {
      await w.write(part);
      assert(!peerSaysComplete(await Deno.readTextFile(path)));
    }
  });
  assert.equal((await followed).join(""), parts.join(""));
});

Deno.test("row 14: live and late readers get the same text, to the last blank", async () => {
  await using dir = await tempDir();
  for (const [i, text] of ["body  \n\n", "\n", "", "  ", "x\r\n", "\ufeffx"].entries()) {
    const live = Array.fromAsync(followFile(`${dir.path}/f${i}`, { pollMs: 1 }));
    await stream(dir.path, `f${i}`, async (w) => {
      for (const char of text) await w.write(char);
    });
    assert.equal((await live).join(""), text);
    assert.equal((await Array.fromAsync(followFile(`${dir.path}/f${i}`))).join(""), text);
  }
});

Deno.test("row 14: a byte order mark is dropped at the start of a file, and only there (TORN-02)", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/f`, `\ufeffa\n\ufeffb\n${DONE_MARKER}\n`);
  for (const readBytes of [1, 2, 5, 100]) {
    const { host } = fakeHost({ readBytes });
    assert.equal((await Array.fromAsync(followFile(`${dir.path}/f`, { host }))).join(""), "a\n\ufeffb");
  }
  const pieces = ["x", "\ufeff", "y", "\ufeff\ufeff", "z"];
  const live: string[] = [];
  const following = followFile(`${dir.path}/g`, { pollMs: 1, events: false, timeoutMs: 20_000 });
  await stream(dir.path, "g", async (w) => {
    for (const piece of pieces) { // one read for each, since each is awaited before the next is written
      await w.write(piece);
      live.push((await following.next()).value!);
    }
  });
  assert.equal((await following.next()).done, true);
  assert.equal(live.join(""), pieces.join(""));
});

for (
  const [what, replacement] of [["shorter", "new"], ["longer", "other text of more length"]] as const
) {
  for (const way of ["in place", "by rename"] as const) {
    Deno.test(`row 15: a reply replaced ${way} by a ${what} one is an error, not a splice (TORN-02)`, async () => {
      await using dir = await tempDir();
      const path = `${dir.path}/f`;
      await Deno.writeTextFile(path, "0123456789");
      const following = followFile(path, { pollMs: 1 });
      assert.equal((await following.next()).value, "0123456789");
      const text = `${replacement}\n${DONE_MARKER}\n`;
      if (way === "in place") await Deno.writeTextFile(path, text);
      else {
        await Deno.writeTextFile(`${path}.new`, text);
        await Deno.rename(`${path}.new`, path);
      }
      await assert.rejects(following.next(), failsWith("replaced"));
    });
  }
}

Deno.test("row 15: a reply that a sync tool replaces by a longer copy of itself goes on", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/f`;
  const following = followFile(path, { pollMs: 1 });
  let text = "";
  for (const part of ["one ", "two ", "three"]) {
    await Deno.writeTextFile(`${path}.tmp`, text += part);
    await Deno.rename(`${path}.tmp`, path);
    assert.equal((await following.next()).value, part);
  }
  await Deno.writeTextFile(`${path}.tmp`, `${text}\n${DONE_MARKER}\n`);
  await Deno.rename(`${path}.tmp`, path);
  assert.equal((await following.next()).done, true);
});

Deno.test("row 16: a stalled writer is reported, and the wait ends at its bound", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/f`, "half");
  const { host } = fakeHost({ instantSleep: true, noEvents: true });
  const stalls: number[] = [];
  const options = {
    host,
    stallMs: 5_000,
    timeoutMs: 60_000,
    onStall: (s: { quietMs: number }) => stalls.push(s.quietMs),
  };
  const following = Array.fromAsync(followFile(`${dir.path}/f`, options));
  await assert.rejects(following, failsWith("timeout"));
  assert.equal(stalls.length, 1, "once per stall");
  assert(stalls[0] >= 5_000);
});

Deno.test("row 16: every wait ends with the signal's own reason", async () => {
  await using dir = await tempDir();
  const reason = new Error("stopped by hand");
  const aborted = { signal: AbortSignal.abort(reason) };
  const later = () => {
    const stop = new AbortController();
    queueMicrotask(() => stop.abort(reason));
    return { signal: stop.signal, sessionId: "s" };
  };
  for (const options of [aborted, later()]) {
    await assert.rejects(watch(dir.path, () => {}, options), reason);
    await assert.rejects(drops(dir.path, options).next(), reason);
    await assert.rejects(awaitPrompt(dir.path, options), reason);
    await assert.rejects(followFile(`${dir.path}/f`, options).next(), reason);
    await assert.rejects(nextPrompt(`${dir.path}/p`, options), reason);
  }
  const id = await dropPrompt(dir.path, "s", "q");
  await assert.rejects(replyStream(dir.path, "s", id, () => new Promise(() => {}), later()), reason);
});

Deno.test("row 17: a thousand prompts in one second sort by creation, whatever they say", async () => {
  await using dir = await tempDir();
  const ids: string[] = [];
  for (let i = 0; i < 300; i++) {
    ids.push(await dropPrompt(dir.path, "s", i % 2 ? "zebra" : "apple", { durable: false }));
  }
  assert.deepEqual(await pendingPrompts(dir.path, "s"), ids);
  const { promptId, dropName } = await import("../src/drop/ids.ts");
  const frozen = { ...fakeHost().host, clock: { ...fakeHost().host.clock, now: () => 1_800_000_000_000 } };
  for (const make of [() => promptId(frozen, "same"), () => dropName(frozen)]) {
    const made = Array.from({ length: 1000 }, make);
    assert.deepEqual(made.toSorted(), made);
    assert.equal(new Set(made).size, 1000);
  }
});

Deno.test("row 17: a clock set back an hour does not reorder what one process sends", async () => {
  const { promptId, dropName } = await import("../src/drop/ids.ts");
  let now = 1_800_000_000_000;
  const host = { ...fakeHost().host, clock: { ...fakeHost().host.clock, now: () => now } };
  for (const make of [() => promptId(host, "x"), () => dropName(host)]) {
    const before = make();
    now -= 3_600_000;
    assert(make() > before);
  }
});

Deno.test("row 17: ids of one instant are the same in every time zone", async () => {
  const outputs = await Promise.all(["Pacific/Auckland", "America/Los_Angeles"].map((zone) => {
    const code = `import { promptId } from ${JSON.stringify(new URL("../src/drop/ids.ts", import.meta.url).href)};
      const host = { clock: { now: () => 1793493296123 }, random: (n) => new Uint8Array(n) };
      console.log(promptId(host, "Hello, you"));`;
    return new Deno.Command(Deno.execPath(), { args: ["eval", "--no-check", code], env: { TZ: zone } }).output();
  }));
  const ids = outputs.map(({ stdout }) => new TextDecoder().decode(stdout).trim());
  assert.deepEqual(ids, ["20261101T003456123-helloy-000000", "20261101T003456123-helloy-000000"]);
});

Deno.test("row 18: two blocks between two looks are returned one after the other", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/p.txt`;
  await Deno.writeTextFile(path, "one\n---SEND---\n  two\nlines \n - send -\nhalf");
  assert.equal(await nextPrompt(path), "one");
  assert.equal(await nextPrompt(path), "two\nlines");
  assert.equal(await Deno.readTextFile(`${path}.dd_state`), "2");
});

Deno.test("row 18: what was submitted while nobody listened is returned, with and without a count", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/p.txt`;
  await Deno.writeTextFile(path, "one\n---SEND---\n");
  assert.equal(await nextPrompt(path), "one");
  await Deno.writeTextFile(path, "two\n---SEND---\nthree\n---SEND---\n", { append: true });
  assert.equal(await nextPrompt(path), "two");
  assert.equal(await nextPrompt(path), "three");
});

Deno.test("row 18: a file that was begun anew is read from its start", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/p.txt`;
  await Deno.writeTextFile(path, "one\n---SEND---\ntwo\n---SEND---\n");
  await nextPrompt(path);
  await nextPrompt(path);
  await Deno.writeTextFile(path, "fresh\r\n---SEND---\r\n");
  assert.equal(await nextPrompt(path), "fresh");
});

for (const damage of ["", "garbage", "-1", "1.5", "\0\0"]) {
  Deno.test(`row 18: a count of ${JSON.stringify(damage)} is set aside, and no block is lost (DISK-01)`, async () => {
    await using dir = await tempDir();
    const path = `${dir.path}/p.txt`;
    await Deno.writeTextFile(path, "one\n---SEND---\n");
    await Deno.writeTextFile(`${path}.dd_state`, damage);
    assert.equal(await nextPrompt(path), "one");
    const aside = (await tree(dir.path)).filter((name) => name.startsWith("p.txt.dd_state.corrupt-"));
    assert.equal(await Deno.readTextFile(`${dir.path}/${aside}`), damage);
  });
}

Deno.test("row 18: an empty block is consumed and not returned; an unsubmitted one stays", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/p.txt`;
  await Deno.writeTextFile(path, "\n---SEND---\nreal\n---SEND---\nstill typing, I will ---SEND--- soon");
  assert.equal(await nextPrompt(path), "real");
  await assert.rejects(nextPrompt(path, { pollMs: 1, timeoutMs: 30 }), failsWith("timeout"));
});

const LEFTOVERS = [
  "x (conflicted copy).md",
  "x (Jo's conflicted copy 2026-01-01).md",
  "x.sync-conflict-20260101-000000-ABCDEFG.md",
  "x-DESKTOP-AB12CD3.md",
  "x 2.md",
  "x (1).md",
  "x.tmp",
  "x.part",
  "x.partial",
  "x.filepart",
  "x.crdownload",
  "x.swp",
  "x~",
  "#x#",
  "~$x.docx",
  "~syncthing~x.tmp",
  "Thumbs.db",
  "desktop.ini",
  "Icon\r",
  ".syncthing.x.tmp",
  ".x.AbCdEf",
  ".nfs000000000000000100000001",
  ".DS_Store",
  "._x",
  ".x.icloud",
  "MACHINE_INFO.md",
];
for (const name of LEFTOVERS) {
  Deno.test(`row 19: ${JSON.stringify(name)} is never a message (SYNC-01, SYNC-02)`, async () => {
    await using dir = await tempDir();
    await Deno.writeTextFile(`${dir.path}/${name}`, "left behind");
    await Deno.mkdir(`${dir.path}/s/inbox/${name}`, { recursive: true });
    await Deno.writeTextFile(`${dir.path}/s/inbox/${name}/prompt.md`, "left behind");
    assert.equal(await pickup(dir.path), null);
    if (name !== "MACHINE_INFO.md") assert.deepEqual(await pendingPrompts(dir.path, "s"), []);
    assert.equal(await Deno.readTextFile(`${dir.path}/${name}`), "left behind");
    await assert.rejects(drop(dir.path, "x", { name }), failsWith("bad-input"), "nobody can send under such a name");
  });
}

Deno.test("row 19: a bundle that arrives file by file is invisible until its manifest is satisfied (SYNC-03)", async () => {
  await using dir = await tempDir();
  await using source = await tempDir();
  const files = { "a.txt": "a", "b.bin": new Uint8Array(5000).fill(0xff), "c.txt": "c" };
  const bundle = await dropBundle(source.path, files, { id: "p1" });
  const inbox = `${dir.path}/s/inbox/p1`;
  await Deno.mkdir(inbox, { recursive: true });
  for (const name of ["c.txt", ".manifest.json", "b.bin"]) {
    assert.deepEqual(
      await pendingPrompts(dir.path, "s"),
      name === "c.txt" ? [] : name === ".manifest.json" ? ["p1"] : [],
    );
    await Deno.copyFile(`${bundle}/${name}`, `${inbox}/${name}`);
    if (name === ".manifest.json") await assert.rejects(readPrompt(dir.path, "s", "p1"), failsWith("arriving"));
  }
  await Deno.writeTextFile(`${inbox}/a.txt`, "b"); // its size is right, its content is not there yet
  await assert.rejects(readPrompt(dir.path, "s", "p1"), failsWith("arriving"));
  await assert.rejects(awaitPrompt(dir.path, { sessionId: "s", pollMs: 5, timeoutMs: 50 }), failsWith("timeout"));
  await Deno.writeTextFile(`${inbox}/a.txt`, "a");
  const got = await awaitPrompt(dir.path, { sessionId: "s", pollMs: 5 });
  assert.deepEqual(got.files, files);
});

Deno.test("row 19: a bundle without a manifest is taken once it has been quiet, an empty one never", async () => {
  await using dir = await tempDir();
  const inbox = `${dir.path}/s/inbox`;
  await Deno.mkdir(`${inbox}/a-empty`, { recursive: true });
  await Deno.mkdir(`${inbox}/b-peer`);
  await Deno.writeTextFile(`${inbox}/b-peer/prompt.txt`, "hi");
  const early = awaitPrompt(dir.path, { sessionId: "s", pollMs: 5, timeoutMs: 100 });
  await assert.rejects(early, failsWith("timeout"));
  const got = await awaitPrompt(dir.path, { sessionId: "s", pollMs: 20 });
  assert.deepEqual([got.id, got.files], ["b-peer", { "prompt.txt": "hi" }]);
});

Deno.test("row 19: looking at a bundle that settles does not disturb it", async () => {
  await using dir = await tempDir();
  const inbox = `${dir.path}/s/inbox`;
  await Deno.mkdir(`${inbox}/peer`, { recursive: true });
  await Deno.writeTextFile(`${inbox}/peer/prompt.txt`, "hi");
  const { host, counters } = fakeHost({ clockOffsetMs: 7_200_000 });
  assert.deepEqual(await pendingPrompts(dir.path, "s", { host }), ["peer"]);
  await replyState(dir.path, "s", "peer", { host });
  await sessionInfo(dir.path, "s", { host });
  assert.equal(counters.bytesWritten, 0);
  assert.deepEqual(await tree(inbox), ["peer/", "peer/prompt.txt"]);
});

Deno.test("row 20: a durable write flushes the file and its directory, and can be told not to", async () => {
  await using dir = await tempDir();
  const flushed = async (durable?: boolean) => {
    let count = 0;
    const { host } = fakeHost();
    const open = host.fs.open;
    const counting = {
      ...host,
      fs: {
        ...host.fs,
        open: async (path: string | URL, options?: Deno.OpenOptions) =>
          new Proxy(await open(path, options), {
            get(target, key) {
              if (key === "sync") count++;
              return Reflect.get(target, key, target);
            },
          }),
      },
    };
    await drop(dir.path, "x", { host: counting, durable });
    await dropBundle(dir.path, { a: "x" }, { host: counting, durable });
    await stream(dir.path, `f${durable}`, (w) => w.write("x"), { host: counting, durable });
    return count;
  };
  assert.equal(await flushed(false), 0);
  assert.equal(await flushed(), 2 + 4 + 2);
});

Deno.test("row 21: temporaries of writers that died are swept, those of living ones are not (DISK-03)", async () => {
  await using dir = await tempDir();
  const killed = child("write_hang", `${dir.path}/s`);
  await killed.line();
  await killed.kill();
  await Deno.mkdir(`${dir.path}/s/.tmp-${"0".repeat(32)}`);
  await Deno.writeTextFile(`${dir.path}/s/.tmp-not-ours`, "");
  const temps = async () => (await tree(`${dir.path}/s`)).filter((name) => /^\.tmp-[0-9a-f]{32}/.test(name)).length;
  assert.equal(await temps(), 2);
  await watch(dir.path, () => {}, { sessionId: "s", maxIters: 0 });
  assert.equal(await temps(), 2, "an hour has not passed");
  const { host } = fakeHost({ clockOffsetMs: 7_200_000 });
  await watch(dir.path, () => {}, { sessionId: "s", maxIters: 0, host });
  assert.equal(await temps(), 2, "it has not passed for the file system either, whatever our clock says");
  await until(async () => {
    await drops(dir.path, { sessionId: "s", tempMaxAgeMs: 1, signal: AbortSignal.abort() }).next().catch(() => {});
    return await temps() === 0;
  });
  assert((await tree(`${dir.path}/s`)).includes(".tmp-not-ours"));
});

Deno.test("row 22: text is UTF-8 and bytes are exact, whatever the locale", async () => {
  await using dir = await tempDir();
  const files = {
    "crlf.txt": "a\r\nb\rc\n",
    "zero.txt": "a\0b",
    "ascii.bin": new Uint8Array([13, 10, 255]),
    "u.txt": "é 漢",
  };
  const written = child("bundle", dir.path, JSON.stringify({ "crlf.txt": "a\r\nb\rc\n", "u.txt": "é 漢" }));
  const path = await written.line();
  await written.done();
  assert.deepEqual(await readBundle(path), { "crlf.txt": files["crlf.txt"], "u.txt": files["u.txt"] });
  assert.deepEqual(await readBundle(await dropBundle(dir.path, files)), files);
  for (const content of Object.values(files)) {
    await drop(dir.path, content, { name: "d" });
    assert.deepEqual((await pickup(dir.path))?.content, content);
  }
});

Deno.test("row 23: draining asks the directory for its names, not each entry for its stamps", async () => {
  await using dir = await tempDir();
  const count = 300;
  for (let i = 0; i < count; i++) await Deno.mkdir(`${dir.path}/s`, { recursive: true });
  for (let i = 0; i < count; i++) await Deno.writeTextFile(`${dir.path}/s/${1000 + i}`, "x");
  const { host, counters } = fakeHost();
  let got = 0;
  for await (const d of drops(dir.path, { sessionId: "s", host })) {
    await d.ack();
    if (++got === count) break;
  }
  assert(counters.calls.get("readDir")! < 10, `${counters.calls.get("readDir")} listings`);
  assert(counters.calls.get("lstat")! < 4 * count, `${counters.calls.get("lstat")} looks`);
});

Deno.test("row 24: what is pending costs two listings and no look at answered exchanges (DIR-01)", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(`${dir.path}/s/outbox`, { recursive: true });
  for (let i = 0; i < 500; i++) {
    await Deno.mkdir(`${dir.path}/s/inbox/p${i}`, { recursive: true });
    await Deno.writeTextFile(`${dir.path}/s/outbox/p${i}.md`, "");
  }
  const id = await dropPrompt(dir.path, "s", "new");
  const { host, counters } = fakeHost();
  assert.deepEqual(await pendingPrompts(dir.path, "s", { host }), [id]);
  const calls = [...counters.calls.values()].reduce((sum, n) => sum + n);
  assert(calls < 40, `${calls} calls`);
});

Deno.test("row 25: one loop serves a hundred sessions", async () => {
  await using dir = await tempDir();
  const sessionId = Array.from({ length: 100 }, (_, i) => `s${i}`);
  const { host, counters } = fakeHost();
  const stop = new AbortController();
  const got = new Set<string>();
  const serving = (async () => {
    for await (const { id, sessionId: s } of prompts(dir.path, { sessionId, host, signal: stop.signal, pollMs: 50 })) {
      await replyStream(dir.path, s, id, (w) => w.write(s), { durable: false });
      got.add(s);
    }
  })();
  await until(async () => (await visible(dir.path)).length >= 301);
  for (const s of sessionId) await dropPrompt(dir.path, s, `for ${s}`, { durable: false });
  await until(() => got.size === 100);
  stop.abort();
  await serving.catch(() => {});
  assert.equal(counters.calls.get("watchFs"), 1);
});

Deno.test("row 26: a reader that deletes nothing is given each message once, and waits in between", async () => {
  await using dir = await tempDir();
  await drop(`${dir.path}/s`, "one");
  const { host, counters } = fakeHost();
  const { got, stop } = watching(dir.path, { delete: false, host });
  await until(() => got.length === 1);
  await drop(`${dir.path}/s`, "two");
  await until(() => got.length === 2);
  const listings = counters.calls.get("readDir")!;
  await stop();
  assert.deepEqual(got, ["one", "two"]);
  assert(listings < 30, `${listings} listings for two messages`);
  assert.equal((await visible(`${dir.path}/s`)).length, 2, "both are still there");
});

Deno.test("row 27: the note about the machine is written whole, once, repaired, and never picked up", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/MACHINE_INFO.md`;
  assert.equal(await ensureMachineInfo(dir.path), true);
  const text = await Deno.readTextFile(path);
  assert.match(
    text,
    /^# Machine Info\n\n- Hostname: .+\n- OS: .+\n- CPUs: \d+\n- RAM: (\d+\.\d GB|unknown)\n- GPU: .+\n- VRAM: .+\n$/,
  );
  assert.equal(await ensureMachineInfo(dir.path), false);
  await Deno.writeTextFile(path, "");
  assert.equal(await ensureMachineInfo(dir.path), true);
  assert.equal(await Deno.readTextFile(path), text);
  assert.equal(await pickup(dir.path), null);
  assert.deepEqual(await tree(dir.path), ["MACHINE_INFO.md"]);
});

Deno.test("row 28: a name that is taken is refused, and replaced only when asked (NETFS-04)", async () => {
  for (const noLinks of [false, true]) {
    await using dir = await tempDir();
    const { host } = fakeHost({ noLinks });
    await drop(dir.path, "old", { name: "n", host });
    await assert.rejects(drop(dir.path, "new", { name: "n", host }), failsWith("exists"));
    assert.equal(await Deno.readTextFile(`${dir.path}/n`), "old");
    await drop(dir.path, "new", { name: "n", replace: true, host });
    assert.equal(await Deno.readTextFile(`${dir.path}/n`), "new");
    await Deno.mkdir(`${dir.path}/d`);
    for (const replace of [false, true]) {
      await assert.rejects(drop(dir.path, "x", { name: "d", replace, host }), failsWith("exists"));
    }
    await dropBundle(dir.path, { a: "1" }, { id: "b" });
    await Deno.mkdir(`${dir.path}/empty`);
    for (const id of ["b", "empty"]) {
      await assert.rejects(dropBundle(dir.path, { a: "2" }, { id, host }), failsWith("exists"));
    }
    assert.deepEqual((await tree(dir.path)).filter((name) => name.startsWith(".")), [], "no temporaries");
  }
});
