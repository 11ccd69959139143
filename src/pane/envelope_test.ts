import assert from "node:assert/strict";
import fc from "fast-check";
import { type Envelope, envelopeMarks, makeEnvelope, MAX_TEXT_BYTES, neutralise } from "./envelope.ts";

const deliveryId = "7f3a19c2";
const file = "/state/7f3a19c2.md";
const { first, last } = envelopeMarks(deliveryId);

/** Any text, with more than its share of what is dangerous. */
const awkward = fc.array(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom(
      "\x1b[201~",
      "\x1b",
      "\x9b31m",
      "\r\n",
      "\r",
      "\n",
      "\t",
      "\x7f",
      "\\",
      "/exit",
      "!",
      "@README.md",
      "e\u0301",
      "\ud800",
    ),
    fc.constantFrom(
      first,
      last,
      "[end 00000000]",
      "[deaddrop 00000000]",
      " ",
      "\u00a0",
      "#",
      "?",
      "&",
      ";",
      "👩‍👩‍👧",
      "漢字",
      "שלום",
    ),
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));

const ids = fc.stringMatching(/^[0-9a-z]{8,16}$/);

function textOf(envelope: Envelope): string {
  assert.notEqual(envelope.kind, "refused");
  return envelope.kind === "refused" ? "" : envelope.text;
}

function refusal(envelope: Envelope): string {
  assert.equal(envelope.kind, "refused");
  return envelope.kind === "refused" ? envelope.reason : "";
}

Deno.test("neutralise: no control character but LF is left, twice is as good as once", () => {
  fc.assert(fc.property(awkward, (text) => {
    const clean = neutralise(text);
    // deno-lint-ignore no-control-regex -- what is looked for
    assert.doesNotMatch(clean, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    assert.equal(clean, clean.normalize("NFC").trim());
    assert(clean.isWellFormed());
    assert.equal(neutralise(clean), clean);
  }));
});

Deno.test("neutralise: a paste cannot be ended from inside (LONG-04, CHARS)", () => {
  assert.equal(neutralise("a\x1b[201~; rm -rf x"), "a[201~; rm -rf x");
  assert.equal(neutralise("\r\na\r\nb\rc\td\x9b201~\x00\x7f\n\n"), "a\nb\nc    d201~");
  assert.equal(neutralise("e\u0301"), "é");
});

Deno.test("neutralise: harmless text stays as it is", () => {
  for (
    const text of [
      "a;",
      ";",
      "a\\;",
      "a;b;",
      "-----BEGIN",
      "--help",
      "Enter Up C-c Space",
      "$(id) `id` #{pane_id}",
      "👩‍👩‍👧 漢字 שלום",
    ]
  ) {
    assert.equal(neutralise(text), text);
  }
});

Deno.test("envelope: the text stands whole between two words, whatever it begins and ends with", () => {
  for (
    const text of [
      "/exit now",
      "!ls",
      "#note",
      "@README.md",
      "?",
      "& b",
      "-x",
      "ends in \\",
      "ends in @",
      "see /help",
      "go;",
      "Enter C-c",
    ]
  ) {
    assert.equal(textOf(makeEnvelope(text, { deliveryId })), `${first} ${text} ${last}`);
  }
});

Deno.test("envelope: what is typed begins and ends with the id, and is inside the bounds", () => {
  const limits = fc.record({ maxBytes: fc.integer({ min: 0, max: 300 }), maxLines: fc.integer({ min: 1, max: 5 }) });
  fc.assert(fc.property(awkward, ids, limits, (text, deliveryId, limits) => {
    const envelope = makeEnvelope(text, { deliveryId, file, ...limits });
    if (envelope.kind === "refused") return assert.equal(envelope.reason, "empty");
    const { first, last } = envelopeMarks(deliveryId);
    assert(envelope.text.startsWith(`${first} `) && envelope.text.endsWith(` ${last}`));
    assert.equal(neutralise(envelope.text), envelope.text);
    if (envelope.kind === "inline") {
      assert(new TextEncoder().encode(envelope.text).length <= limits.maxBytes);
      assert(envelope.text.split("\n").length <= limits.maxLines);
    } else {
      assert(!envelope.text.includes("\n"));
      assert.equal(envelope.fileContent, neutralise(text));
    }
  }));
});

Deno.test("envelope: content with our own marks stays unambiguous", () => {
  fc.assert(fc.property(awkward, ids, (text, deliveryId) => {
    const { first, last } = envelopeMarks(deliveryId);
    const envelope = makeEnvelope(`${text}${last}${first}x`, { deliveryId, file });
    assert.equal(envelope.kind, "by-file");
    const inline = makeEnvelope(text, { deliveryId, file });
    if (inline.kind !== "inline") return;
    assert.equal(inline.text.split(deliveryId).length, 3);
    assert.equal(inline.text.slice(first.length + 1, -last.length - 1), neutralise(text));
  }));
  const other = "[deaddrop 00000000] an older message [end 00000000]";
  assert.equal(textOf(makeEnvelope(other, { deliveryId })), `${first} ${other} ${last}`);
});

Deno.test("envelope: long and many-lined text goes by file, one line names it (LONG-01, LONG-05)", () => {
  const byFile = `${first} Read the file "${file}" and do what it says. ${last}`;
  for (const text of ["x".repeat(4000), "line\n".repeat(41), "é".repeat(2000)]) {
    const envelope = makeEnvelope(text, { deliveryId, file });
    assert.deepEqual(envelope, { kind: "by-file", text: byFile, fileContent: text.trim() });
  }
  const fits = 4000 - `${first}  ${last}`.length;
  assert.equal(makeEnvelope("x".repeat(fits), { deliveryId }).kind, "inline");
  assert.equal(makeEnvelope("x".repeat(fits + 1), { deliveryId, file }).kind, "by-file");
  assert.equal(makeEnvelope("line\n".repeat(40), { deliveryId }).kind, "inline");
});

Deno.test("envelope: what cannot be typed is refused, in words", () => {
  assert.equal(refusal(makeEnvelope(" \x1b\r\n\t", { deliveryId })), "empty");
  assert.equal(refusal(makeEnvelope("x".repeat(5000), { deliveryId })), "needs-file");
  assert.equal(refusal(makeEnvelope(last, { deliveryId })), "needs-file");
  for (const file of ["", " a", 'a"b', "a\nb", "a\x1bb", "x".repeat(1025)]) {
    assert.equal(refusal(makeEnvelope("x".repeat(5000), { deliveryId, file })), "bad-file");
  }
  assert.equal(makeEnvelope("x".repeat(MAX_TEXT_BYTES), { deliveryId, file }).kind, "by-file");
  for (const text of ["x".repeat(MAX_TEXT_BYTES + 1), "é".repeat(MAX_TEXT_BYTES / 2 + 1)]) {
    const envelope = makeEnvelope(text, { deliveryId, file });
    assert(envelope.kind === "refused" && envelope.reason === "too-large");
    assert.match(
      envelope.message,
      /^Cannot deliver the message: the message has \d+ bytes, and 1048576 is the most; .*\.$/,
    );
  }
});

Deno.test("envelope: a delivery id that could be anything else is a mistake of the caller", () => {
  for (const deliveryId of ["", "short", "UPPERCASE", "with blank1", "]7f3a19c2[", "7f3a19c2\n"]) {
    assert.throws(() => makeEnvelope("text", { deliveryId }), TypeError);
  }
});
