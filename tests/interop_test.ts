/** A root written by the Python peer is read with its meaning; what we write has its exact bytes where the form is fixed. */
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
  readPrompt,
  replyState,
  replyStream,
  respondPrompt,
  watchPrompts,
} from "../mod.ts";
import { formatMachineInfo } from "../src/drop/machine_info.ts";
import { tempDir, tree } from "./fake_host.ts";
import { peerSaysComplete, peerText } from "./peer_reader.ts";
import expected from "../testdata/peer-root.expected.json" with { type: "json" };

const SOURCE = new URL("../testdata/peer-root", import.meta.url).pathname;

async function peerRoot() {
  const dir = await tempDir();
  const copied = await new Deno.Command("cp", { args: ["-R", SOURCE, `${dir.path}/root`] }).output();
  assert(copied.success);
  return { root: `${dir.path}/root`, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

Deno.test("interop: the peer's sessions", async () => {
  await using peer = await peerRoot();
  assert.deepEqual(await listSessions(peer.root), expected.sessions.all);
  const require = ["inbox", "outbox"];
  assert.deepEqual(await listSessions(peer.root, { require }), expected.sessions.require_inbox_outbox);
});

for (const [id, prompt] of Object.entries(expected.prompts)) {
  Deno.test(`interop: the peer's prompt "${prompt.key}" and its reply`, async () => {
    await using peer = await peerRoot();
    const files = Object.fromEntries(
      Object.entries(prompt.files).map(([name, content]) => [
        name,
        typeof content === "string" ? content : Uint8Array.fromBase64(content.base64),
      ]),
    );
    assert.deepEqual(await readPrompt(peer.root, "sess-a", id), files);
    const reply = (expected.replies as Record<string, { text: string; state: string }>)[id];
    const state = await replyState(peer.root, "sess-a", id);
    if (reply === undefined) return assert.equal(state, "pending");
    if (reply.state === "done") {
      assert.equal(state, "done");
      assert.equal((await Array.fromAsync(followReply(peer.root, "sess-a", id))).join(""), reply.text);
    } else {
      assert(state === "streaming" || state === "stale", state);
      const following = followReply(peer.root, "sess-a", id, { pollMs: 1, timeoutMs: 100 });
      assert.equal((await following.next()).value, reply.text);
      await assert.rejects(following.next(), { code: "timeout" });
    }
  });
}

Deno.test("interop: what the peer left pending, in its order", async () => {
  await using peer = await peerRoot();
  assert.deepEqual(await pendingPrompts(peer.root, "sess-a"), expected.pending);
  assert.equal((await awaitPrompt(peer.root, { sessionId: "sess-a", pollMs: 50 })).id, expected.pending[0]);
  const outbox = `${peer.root}/sess-a/outbox`;
  for (const name of await tree(outbox)) await Deno.remove(`${outbox}/${name}`);
  assert.deepEqual(await pendingPrompts(peer.root, "sess-a"), expected.prompt_order);
});

Deno.test("interop: the peer's drops, in order", async () => {
  await using peer = await peerRoot();
  for (const { session, name, content } of expected.drops) {
    const got = await pickup(`${peer.root}/${session}`);
    assert.deepEqual([got?.name, got?.content], [name, content]);
  }
  assert.equal(await pickup(`${peer.root}/sess-b`), null);
});

Deno.test("interop: the peer's older route", async () => {
  await using peer = await peerRoot();
  const { waiting_prompt, response } = expected.legacy;
  assert.deepEqual(await watchPrompts({ dir: peer.root }), waiting_prompt);
  const text = (await Array.fromAsync(followFile(`${peer.root}/responses/${response.name}`))).join("");
  assert.equal(text, response.bytes.replace("\n---DONE---\n", ""));
});

Deno.test("interop: the peer's typed prompts go on where it stopped", async () => {
  await using peer = await peerRoot();
  const { file, consumed, blocks } = expected.next_prompt;
  for (const block of blocks.slice(consumed)) assert.equal(await nextPrompt(`${peer.root}/${file}`), block);
  assert.equal(await Deno.readTextFile(`${peer.root}/${file}.dd_state`), String(blocks.length));
});

for (
  const [text, model, bytes] of [
    ["42", "M 1", "42\n---MODEL: M 1---\n---DONE---\n"],
    ["plain\n\n", undefined, "plain\n---DONE---\n"],
    ["", undefined, "\n---DONE---\n"],
  ] as const
) {
  Deno.test(`interop: a response ${JSON.stringify(text)} has the peer's bytes`, async () => {
    await using dir = await tempDir();
    await respondPrompt("p", { dir: dir.path, text, model });
    assert.equal(await Deno.readTextFile(`${dir.path}/responses/p`), bytes);
  });
}

Deno.test("interop: a reply has the peer's bytes, and the peer reads it", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "hi");
  const path = await replyStream(dir.path, "s", id, (w) => w.write("hello world"));
  const bytes = await Deno.readTextFile(path);
  assert.equal(bytes, "hello world\n---DONE---\n");
  assert(peerSaysComplete(bytes));
  assert.equal(peerText(bytes), "hello world");
  assert.equal(path, `${dir.path}/s/outbox/${id}.md`);
});

Deno.test("interop: the note about a machine has the peer's layout", async () => {
  const peer = await Deno.readTextFile(`${SOURCE}/MACHINE_INFO.md`);
  const fields = [...peer.matchAll(/^- [^:]+: (.*)$/gm)].map((match) => match[1]);
  const [hostname, os, cpus, ram, gpu, vram] = fields;
  assert.equal(formatMachineInfo({ hostname, os, cpus, ram, gpu, vram }), peer);
});

Deno.test("interop: names of drops, prompts and temporaries have the peer's form", async () => {
  await using dir = await tempDir();
  assert.match((await drop(dir.path, "x")).slice(dir.path.length + 1), /^\d{19}-[0-9a-f]{8}$/);
  for (
    const [text, slug] of [["Hello, can you check", "helloc"], ["日本語 abc", "abc"], ["🙂", "prompt"], [
      "ÀÉx-1_2 y",
      "x12y",
    ]]
  ) {
    assert.match(await dropPrompt(dir.path, "s", text), new RegExp(`^\\d{8}T\\d{9}-${slug}-[0-9a-f]{6}$`));
  }
});

Deno.test("interop: what we add is hidden from the peer", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", { "prompt.txt": "hi" });
  await awaitPrompt(dir.path, { sessionId: "s" });
  await replyStream(dir.path, "s", id, (w) => w.write("x"));
  const visible = (await tree(dir.path)).filter((path) => !/(^|\/)\./.test(path));
  assert.deepEqual(visible, [
    "MACHINE_INFO.md",
    "s/",
    "s/inbox/",
    `s/inbox/${id}/`,
    `s/inbox/${id}/prompt.txt`,
    "s/outbox/",
    `s/outbox/${id}.md`,
  ]);
});
