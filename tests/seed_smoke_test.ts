/**
 * The original's own smoke test, line by line: the same calls, the same asserts, in this library's spelling.
 * Its background threads are promises here; its short sleeps pace the other side and assert nothing.
 */
import assert from "node:assert/strict";
import {
  awaitPrompt,
  drop,
  dropPrompt,
  followFile,
  followReply,
  listSessions,
  nextPrompt,
  pendingPrompts,
  pickup,
  replyStream,
  watch,
} from "../mod.ts";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);

Deno.test("the original's smoke test", async (t) => {
  const tmpDir = await Deno.makeTempDir({ prefix: "deaddrop-" });

  await t.step("drop/pickup", async () => {
    await drop(tmpDir, "first message");
    await drop(tmpDir, "second message");
    let d = await pickup(tmpDir);
    assert.equal(d?.content, "first message");
    d = await pickup(tmpDir);
    assert.equal(d?.content, "second message");
    assert.equal(await pickup(tmpDir), null);
  });

  await t.step("watch", async () => {
    const received: unknown[] = [];
    const watchSessionDir = `${tmpDir}/test-session`;
    const delayed = pause(300).then(() => drop(watchSessionDir, "watched message"));
    const n = await watch(tmpDir, (d) => received.push(d.content), {
      pollMs: 100,
      maxIters: 2,
      sessionId: "test-session",
    });
    await delayed;
    assert.equal(n, 1);
    assert.deepEqual(received, ["watched message"]);
  });

  await t.step("listSessions", async () => {
    assert.deepEqual(await listSessions(tmpDir), ["test-session"]);
    assert.deepEqual(await listSessions(`${tmpDir}/no-such-dir`), []);
  });

  await t.step("MACHINE_INFO.md", async () => {
    const infoPath = `${tmpDir}/MACHINE_INFO.md`;
    assert(await exists(infoPath));
    const firstContents = await Deno.readTextFile(infoPath);
    for (const word of ["GPU", "VRAM", "RAM", "OS"]) assert(firstContents.includes(word), word);
    await watch(tmpDir, () => {}, { pollMs: 100, maxIters: 0, sessionId: "another-session" });
    assert.equal(await Deno.readTextFile(infoPath), firstContents);
  });

  const bundleRoot = await Deno.makeTempDir({ prefix: "deaddrop-" });
  const session = "bundle-session";
  let pid = "";

  await t.step("dropPrompt/pendingPrompts", async () => {
    assert.deepEqual(await listSessions(bundleRoot, { require: ["inbox", "outbox"] }), []);
    pid = await dropPrompt(bundleRoot, session, {
      "prompt.txt": "Hello, can you check the CI status?",
      "note.txt": "attachment",
    });
    assert.equal(pid.split("-")[1], "helloc");
    assert.deepEqual(await pendingPrompts(bundleRoot, session), [pid]);
  });

  await t.step("awaitPrompt", async () => {
    const got = await awaitPrompt(bundleRoot, { sessionId: session, pollMs: 100 });
    assert.equal(got.id, pid);
    assert.deepEqual(got.files, {
      "prompt.txt": "Hello, can you check the CI status?",
      "note.txt": "attachment",
    });
    assert.deepEqual(await listSessions(bundleRoot, { require: ["inbox", "outbox"] }), [session]);
  });

  await t.step("replyStream/followReply", async () => {
    const delayed = pause(200).then(() =>
      replyStream(bundleRoot, session, pid, async (w) => {
        for (const part of ["CI is ", "green"]) {
          await w.write(part);
          await pause(200);
        }
      })
    );
    const chunks = await Array.fromAsync(followReply(bundleRoot, session, pid, { pollMs: 50 }));
    await delayed;
    assert.equal(chunks.join(""), "CI is green");
    assert(chunks.length > 1, `reply was not read incrementally: ${chunks}`);
  });

  await t.step("nothing moved", async () => {
    assert.deepEqual(await pendingPrompts(bundleRoot, session), []);
    assert(await exists(`${bundleRoot}/${session}/inbox/${pid}/prompt.txt`));
    assert(await exists(`${bundleRoot}/${session}/outbox/${pid}.md`));
  });

  await t.step("an unterminated reply does not read as a finished one", async () => {
    const half = `${bundleRoot}/${session}/outbox/unfinished.md`;
    await Deno.writeTextFile(half, "half a thought");
    const stop = new AbortController();
    const g = followFile(half, { pollMs: 50, signal: stop.signal });
    assert.equal((await g.next()).value, "half a thought");
    const ended = g.next().then(() => "RETURNED", () => "still waiting when stopped");
    await pause(400);
    stop.abort();
    assert.equal(await ended, "still waiting when stopped");
  });

  await t.step("nextPrompt", async () => {
    const promptPath = `${tmpDir}/prompts.txt`;
    await Deno.writeTextFile(promptPath, "");
    const delayed = pause(300).then(() =>
      Deno.writeTextFile(promptPath, "line one\nline two\n---SEND---\n", { append: true })
    );
    const prompt = await nextPrompt(promptPath, { pollMs: 100 });
    await delayed;
    assert.equal(prompt, "line one\nline two");
  });

  await Deno.remove(tmpDir, { recursive: true });
  await Deno.remove(bundleRoot, { recursive: true });
});
