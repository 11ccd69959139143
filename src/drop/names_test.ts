import assert from "node:assert/strict";
import fc from "fast-check";
import { checkName, isMessageName, isName, leftoverOf, MAX_NAME_BYTES } from "./names.ts";
import { inside } from "./paths.ts";
import { denoHost } from "./host.ts";
import { dropName, promptId, slugOf } from "./ids.ts";

Deno.test("isName: what people and the peer use is allowed", () => {
  const names = [
    "prompt.md",
    "notes über.txt",
    "日本語",
    "a b",
    "x-1_2",
    "20261130T235846-helloc-c28f38",
    "🙂",
    "-x",
    "~x",
  ];
  for (const name of [...names, crypto.randomUUID(), "n".repeat(MAX_NAME_BYTES)]) assert(isName(name), name);
});

Deno.test("isName: whatever passes is one segment that stays inside its directory", async () => {
  await fc.assert(fc.asyncProperty(fc.string({ unit: "binary" }), async (name) => {
    if (!isName(name)) return;
    assert(!/[/\\\0]/.test(name) && name !== "." && name !== "..");
    assert.equal(await inside(denoHost, "/nowhere-at-all", name), `/nowhere-at-all/${name}`);
    assert.equal(new URL(encodeURIComponent(name), "file:///base/").pathname.split("/").length, 3);
  }));
});

Deno.test("checkName: the message names the thing, the value and the reason, and cannot be flooded", () => {
  assert.throws(() => checkName("../../etc", "session id"), {
    code: "bad-input",
    message: 'Cannot use "../../etc" as a session id: it starts with a dot, so every reader would skip it; ' +
      'use one path segment such as "notes-1.md"',
  });
  assert.throws(() => checkName("x".repeat(10_000), "name"), (error: Error) => error.message.length < 250);
  assert.throws(() => checkName("a\u001b[2Jb", "name"), (error: Error) => !error.message.includes("\u001b"));
});

Deno.test("leftoverOf: ordinary names are nobody's leftovers", () => {
  const names = ["report.md", "x.sync", "conflict.md", "v2.md", "chapter-2.md", "a (b).md", "partial.md", "tmp", "10"];
  for (const name of names) assert.equal(leftoverOf(name), undefined, name);
});

Deno.test("ids: what we make is a message's name, and sorts by creation", () => {
  const made = Array.from({ length: 50 }, () => dropName(denoHost));
  assert.deepEqual(made.toSorted(), made);
  for (const name of [...made, promptId(denoHost, "Hello")]) assert(isMessageName(name), name);
});

Deno.test("slugOf: six characters of plain ASCII, or `prompt`", () => {
  fc.assert(fc.property(fc.string(), (text) => assert.match(slugOf(text), /^(?:[a-z0-9]{1,6})$/)));
});
