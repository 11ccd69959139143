/** Ways in which a dead drop was broken on purpose, each by a small scenario. */
import assert from "node:assert/strict";
import {
  awaitPrompt,
  DeadDropError,
  DONE_MARKER,
  drop,
  dropBundle,
  dropPrompt,
  followFile,
  followReply,
  listSessions,
  nextPrompt,
  pendingPrompts,
  prompts,
  readBundle,
  replyState,
  replyStream,
  replyWritable,
  stream,
} from "../mod.ts";
import { MarkerGuard } from "../src/drop/marker.ts";
import { fakeHost, tempDir, tree, until } from "./fake_host.ts";

const failsWith = (code: string) => (error: unknown) => error instanceof DeadDropError && error.code === code;

Deno.test("a bundle of ours whose manifest has not arrived is never taken for a peer's, however quiet (SYNC-03)", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", { "prompt.md": "look", "big.bin": "x" });
  const bundle = `${dir.path}/s/inbox/${id}`;
  await Deno.remove(`${bundle}/.manifest.json`);
  await Deno.remove(`${bundle}/big.bin`);
  const { host } = fakeHost({ clockOffsetMs: 86_400_000 });
  assert.deepEqual(await pendingPrompts(dir.path, "s", { host }), []);
  await assert.rejects(readBundle(bundle), failsWith("arriving"));
});

Deno.test("an editor that empties the file before it writes it again hands out nothing twice", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/p.txt`;
  const old = "one\n---SEND---\ntwo\n---SEND---\n";
  await Deno.writeTextFile(path, old);
  await nextPrompt(path);
  await nextPrompt(path);
  for (const half of ["", "one\n---SEND---\n"]) {
    await Deno.writeTextFile(path, half);
    await assert.rejects(nextPrompt(path, { pollMs: 5, timeoutMs: 100 }), failsWith("timeout"));
    assert.equal(await Deno.readTextFile(`${path}.dd_state`), "2");
  }
  await Deno.writeTextFile(path, `${old}three\n---SEND---\n`);
  assert.equal(await nextPrompt(path), "three");
});

Deno.test("a prompt that cannot be looked at stops neither the list nor the wait (DISK-04)", async () => {
  await using dir = await tempDir();
  const bad = await dropPrompt(dir.path, "s", "locked away");
  const good = await dropPrompt(dir.path, "s", "fine");
  const { host } = fakeHost({
    fail: (call, path) =>
      call === "lstat" && path.includes(`${bad}/`) ? new Deno.errors.PermissionDenied("denied") : undefined,
  });
  assert.deepEqual(await pendingPrompts(dir.path, "s", { host }), [good]);
  const skipped: string[] = [];
  const got = await awaitPrompt(dir.path, { sessionId: "s", host, onSkip: (problem) => skipped.push(problem.message) });
  assert.equal(got.id, good);
  assert.equal(skipped.length, 1);
});

Deno.test("a link to a disk that is not mounted ends with a sentence, not in a loop", async () => {
  await using dir = await tempDir();
  await Deno.symlink(`${dir.path}/unmounted`, `${dir.path}/root`);
  await assert.rejects(drop(`${dir.path}/root/lab`, "x"), failsWith("missing"));
});

Deno.test("a directory in a lease's place ends with a sentence, not in a loop", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  await Deno.mkdir(`${dir.path}/s/.deaddrop/reply-${id}.md.lease`, { recursive: true });
  await assert.rejects(replyStream(dir.path, "s", id, () => {}), failsWith("wrong-kind"));
});

Deno.test("a pipe in a reply's place is refused and waits for nobody", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  await Deno.mkdir(`${dir.path}/s/outbox`, { recursive: true });
  assert((await new Deno.Command("mkfifo", { args: [`${dir.path}/s/outbox/${id}.md`] }).output()).success);
  await assert.rejects(followReply(dir.path, "s", id, { timeoutMs: 5_000 }).next(), failsWith("wrong-kind"));
  assert.equal(await replyState(dir.path, "s", id), "pending");
});

Deno.test("replyWritable: a failed write gives the reply up, so that it can be begun anew", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const { host } = fakeHost({ diskBytes: 500 });
  const writer = replyWritable(dir.path, "s", id, { host }).getWriter();
  await assert.rejects(async () => {
    while (true) await writer.write("0123456789");
  }, failsWith("system"));
  assert.equal(await replyState(dir.path, "s", id), "stale");
  await replyStream(dir.path, "s", id, (w) => w.write("whole"), { restart: true });
});

Deno.test("replyWritable: an aborted signal leaves the reply unfinished", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const stop = new AbortController();
  const writer = replyWritable(dir.path, "s", id, { signal: stop.signal }).getWriter();
  await writer.write("half");
  stop.abort(new Error("enough"));
  await assert.rejects(writer.closed, /enough/);
  await until(async () => await replyState(dir.path, "s", id) === "stale");
});

Deno.test("a signal that has aborted already begins nothing and leaves nothing behind", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const reason = new Error("too late");
  const signal = AbortSignal.abort(reason);
  let ran = false;
  const body = () => void (ran = true);
  await assert.rejects(replyStream(dir.path, "s", id, body, { signal }), reason);
  await assert.rejects(stream(dir.path, "f", body, { signal }), reason);
  assert.equal(ran, false);
  assert.deepEqual((await tree(dir.path)).filter((path) => /outbox|^f$/.test(path)), []);
});

Deno.test("a body that fails after its signal aborted harms nobody", async () => {
  await using dir = await tempDir();
  const stop = new AbortController();
  const late = Promise.withResolvers<void>();
  const writing = stream(dir.path, "f", async () => {
    stop.abort(new Error("stopped"));
    await late.promise;
    throw new Error("nobody listens any more");
  }, { signal: stop.signal });
  await assert.rejects(writing, /stopped/);
  late.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0)); // an unhandled rejection would fail the test here
});

Deno.test("MarkerGuard: a long run of blanks costs one pass", () => {
  const guard = new MarkerGuard();
  const text = `${" ".repeat(1 << 20)}x`;
  assert.equal(guard.push(text), text); // a pattern that tries every run would take an hour
});

Deno.test("whatever is accepted as an id is served, and the other way round", async () => {
  await using dir = await tempDir();
  for (const name of ["lab 2", "lab (1)", "x.tmp", "MACHINE_INFO.md"]) {
    await assert.rejects(dropPrompt(dir.path, name, "x"), failsWith("bad-input"));
    await assert.rejects(dropBundle(dir.path, { a: "x" }, { id: name }), failsWith("bad-input"));
    await Deno.mkdir(`${dir.path}/${name}`);
  }
  await dropPrompt(dir.path, "lab-2", "x");
  assert.deepEqual(await listSessions(dir.path), ["lab-2"]);
});

Deno.test("an abandoned prompt that was answered since the listing is not handed out", async () => {
  await using dir = await tempDir();
  const ids = [await dropPrompt(dir.path, "s", "first"), await dropPrompt(dir.path, "s", "second")];
  const giveUp = async (w: { write(text: string): Promise<void> }) => {
    await w.write("half");
    throw new Error("no idea");
  };
  for (const id of ids) await assert.rejects(replyStream(dir.path, "s", id, giveUp));
  const served = prompts(dir.path, { sessionId: "s", pollMs: 5, timeoutMs: 200 });
  assert.equal((await served.next()).value?.id, ids[0]);
  await replyStream(dir.path, "s", ids[1], (w) => w.write("by somebody else"), { restart: true });
  await assert.rejects(served.next(), failsWith("timeout"));
});

Deno.test("an outbox that becomes a link while somebody waits for it is not read through (PATH-03)", async () => {
  await using dir = await tempDir();
  await using elsewhere = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const following = followReply(dir.path, "s", id, { pollMs: 5 });
  const first = following.next();
  const refused = assert.rejects(first, failsWith("wrong-kind"));
  await Deno.writeTextFile(`${elsewhere.path}/${id}.md`, `secret\n${DONE_MARKER}\n`);
  await Deno.symlink(elsewhere.path, `${dir.path}/s/outbox`);
  await refused;
});

Deno.test("a marker without its line end counts only once the file has stood still", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/f`;
  await Deno.writeTextFile(path, `text\n${DONE_MARKER}`);
  const following = followFile(path, { pollMs: 5, timeoutMs: 20_000 });
  assert.equal((await following.next()).value, "text");
  const rest = following.next();
  await Deno.writeTextFile(path, " is what ends it\n", { append: true });
  assert.equal((await rest).value, `\n${DONE_MARKER} is what ends it`);
  await Deno.writeTextFile(path, `${DONE_MARKER}`, { append: true });
  assert.deepEqual(await Array.fromAsync(following), []);
});

Deno.test("a shared directory's group can read bundles, replies and leases as well", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(`${dir.path}/team`);
  await Deno.chmod(`${dir.path}/team`, 0o2770);
  const root = `${dir.path}/team`;
  const id = await dropPrompt(root, "s", "q");
  await assert.rejects(replyStream(root, "s", id, () => Promise.reject(new Error("half"))));
  for (const path of await tree(root)) {
    const { mode, isDirectory } = await Deno.lstat(`${root}/${path}`);
    assert.equal(mode! & 0o7777, isDirectory ? 0o2770 : 0o660, path);
  }
});
