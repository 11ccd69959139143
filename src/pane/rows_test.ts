import assert from "node:assert/strict";
import { endLine, newNonce, parseCount, parseParts, parseRows, rowFormat } from "./rows.ts";

const nonce = "0123456789abcdef";
const fields = ["pane_id", "pane_title"] as const;
const print = (...values: string[]) => `${values.join(`|${nonce}|`)}|${nonce}.\n`;

Deno.test("rowFormat(): names each field and ends in nothing that tmux reads as the end of a command", () => {
  assert.equal(rowFormat(fields, nonce), `#{pane_id}|${nonce}|#{pane_title}|${nonce}.`);
});

Deno.test("parseRows(): values hold line ends, separators of other calls and nothing at all (CHARS-04, CHARS-07)", () => {
  const title = `a\nb|\t;'"#{x}|${"f".repeat(16)}|`;
  assert.deepEqual(parseRows(print("%1", title) + print("%2", ""), fields, nonce), [
    { pane_id: "%1", pane_title: title },
    { pane_id: "%2", pane_title: "" },
  ]);
  assert.deepEqual(parseRows("", fields, nonce), []);
});

Deno.test("parseRows(): a short row, a long one, a torn one and a stray line are refused (CHARS-04)", () => {
  for (
    const text of [print("%1"), print("%1", "a", "b"), print("%1", "a").slice(0, -1), `${print("%1", "a")}x\n`, "x"]
  ) {
    assert.equal(parseRows(text, fields, nonce), null, JSON.stringify(text));
  }
});

Deno.test("parseParts(): takes exactly as many parts as were asked for", () => {
  const end = `${endLine(nonce)}\n`;
  assert.deepEqual(parseParts(`a\n${end}${end}`, 2, nonce), ["a\n", ""]);
  for (const text of [`a\n${end}`, `a\n${end}b\n${end}${end}`, `a\n${end}b\n`, ""]) {
    assert.equal(parseParts(text, 2, nonce), null, JSON.stringify(text));
  }
});

Deno.test("parseCount(): takes whole numbers only", () => {
  assert.deepEqual(["0", "42", "", "-1", "1.5", " 1", "0x1", "1e3"].map(parseCount), [0, 42, ...Array(6).fill(null)]);
});

Deno.test("newNonce(): sixteen hex digits, another one each time", () => {
  assert.match(newNonce(), /^[0-9a-f]{16}$/);
  assert.notEqual(newNonce(), newNonce());
});
