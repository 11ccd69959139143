import assert from "node:assert/strict";
import fc from "fast-check";
import { parseScreen } from "./screen.ts";

Deno.test("parseScreen: styles run on from row to row until they are changed", () => {
  const { cells, lines } = parseScreen("\x1b[1;38;5;244mab\nc\x1b[0;3m\x1b[48;2;1;2;255md\n", 4, 3);
  assert.deepEqual(lines, ["ab", "cd", ""]);
  assert.equal(cells[1][0].style.bold, true);
  assert.equal(cells[1][0].style.fg, 244);
  const { bold, italic, fg, bg } = cells[1][1].style;
  assert.deepEqual({ bold, italic, fg, bg }, { bold: false, italic: true, fg: null, bg: "#0102ff" });
});

Deno.test("parseScreen: colours are the same whichever way they are written", () => {
  const { cells } = parseScreen(
    "\x1b[90ma\x1b[38;5;8mb\x1b[38:5:8mc\x1b[38:2::9:8:7md\x1b[38;2;9;8;7me\x1b[58;5;3mf",
    6,
    1,
  );
  assert.deepEqual(cells[0].map(({ style }) => style.fg), [8, 8, 8, "#090807", "#090807", "#090807"]);
});

Deno.test("parseScreen: wide characters take two columns, marks that join take none", () => {
  const { cells, lines } = parseScreen("漢e\u0301👩\u200d💻x\u200b|", 10, 1);
  assert.equal(lines[0], "漢e\u0301👩\u200d💻x\u200b|");
  assert.deepEqual(cells[0].map(({ text }) => text).slice(0, 8), [
    "漢",
    "",
    "e\u0301",
    "👩\u200d💻",
    "",
    "x\u200b",
    "|",
    " ",
  ]);
});

Deno.test("parseScreen: titles, links, character sets, control characters and half sequences leave no trace", () => {
  const capture = "\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x1b(B\x0fa\x00\x9bb\x1b[2K\x1bMc\x1b[38;5";
  assert.deepEqual(parseScreen(capture, 12, 1).lines, ["link abc"]);
  assert.deepEqual(parseScreen("a\x1b", 3, 1).lines, ["a"]);
});

Deno.test("parseScreen: every text gives rows of exactly the size asked for, and none throws", () => {
  const piece = fc.constantFrom(
    "\x1b",
    "[",
    "]",
    "38;5;",
    "m",
    "\n",
    "\t",
    "漢",
    "\u0301",
    "\u200d",
    "\ud800",
    "P",
    "\x07",
    "a",
  );
  fc.assert(fc.property(fc.array(fc.oneof(piece, fc.string({ unit: "binary" }))), (pieces) => {
    const { cells, lines } = parseScreen(pieces.join(""), 9, 4);
    assert.equal(lines.length, 4);
    assert(cells.length === 4 && cells.every((row) => row.length === 9));
  }));
});
