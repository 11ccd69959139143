import assert from "node:assert/strict";
import { type ControlEvent, ControlReader } from "./control_reader.ts";

function read(text: string, pieceChars = text.length): ControlEvent[] {
  const reader = new ControlReader();
  const events: ControlEvent[] = [];
  for (let at = 0; at < text.length; at += pieceChars) events.push(...reader.push(text.slice(at, at + pieceChars)));
  return events;
}

const session = [
  "%begin 1 268 0",
  "%end 1 268 0",
  "%session-changed $0 lab",
  "warning: nobody expects this",
  "%begin 1 290 1",
  "%output looks like news",
  "%end 1 289 1",
  "%begin 1 290 1",
  "",
  "%end 1 290 1",
  "%window-renamed @0 x",
  "%begin 1 291 1",
  "can't find pane: %9",
  "%error 1 291 1",
  "%exit too far behind",
  "",
].join("\n");

Deno.test("ControlReader: gives own blocks whole, whatever their lines look like, in pieces of any size", () => {
  for (const pieceChars of [1, 2, 7, session.length]) {
    assert.deepEqual(read(session, pieceChars), [
      { kind: "block", ok: true, text: "%output looks like news\n%end 1 289 1\n%begin 1 290 1\n\n" },
      { kind: "block", ok: false, text: "can't find pane: %9\n" },
      { kind: "exit" },
    ]);
  }
});

Deno.test("ControlReader: an end without a beginning breaks the order of the replies", () => {
  assert.deepEqual(read("%begin 1 2 1\nx\n%end 1 2 1\nrest of a forged screen\n%end 1 2 1\n"), [
    { kind: "block", ok: true, text: "x\n" },
    { kind: "broken", line: "%end 1 2 1" },
  ]);
});

Deno.test("ControlReader: says how much it holds back, of a line and of a block", () => {
  const reader = new ControlReader();
  reader.push("%begin 1 2 1\n");
  reader.push("x".repeat(100));
  assert.equal(reader.held, 100);
  reader.push("\nyy");
  assert.equal(reader.held, 102);
  reader.push("\n%end 1 2 1\n");
  assert.equal(reader.held, 0);
});
