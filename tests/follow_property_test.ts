/** join(follow) is exactly what was written: any text, any cuts on the writing side, any cuts on the reading side. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { DONE_MARKER, followFile, stream } from "../mod.ts";
import { MarkerReader } from "../src/drop/marker.ts";
import { fakeHost, tempDir } from "./fake_host.ts";
import { peerSaysComplete } from "./peer_reader.ts";

const piece = fc.oneof(
  fc.constantFrom("\n", "\r\n", "\r", " ", "\t", "🙂", "👩‍👩‍👧", "é", "\ufeff", "\0", DONE_MARKER, `\n${DONE_MARKER}\n`),
  fc.integer({ min: 1, max: DONE_MARKER.length - 1 }).map((length) => DONE_MARKER.slice(0, length)),
  fc.integer({ min: 1, max: DONE_MARKER.length - 1 }).map((length) => DONE_MARKER.slice(length)),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const pieces = fc.array(piece, { maxLength: 12 }).map((parts) => parts.map((part) => part.toWellFormed()));

Deno.test("follow: any text in any pieces comes back exactly, live and late", async () => {
  await using dir = await tempDir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 7 }), async (parts, readBytes) => {
      const name = `f${run++}`;
      const path = `${dir.path}/${name}`;
      const live = Array.fromAsync(followFile(path, { pollMs: 1, events: false }));
      await stream(dir.path, name, async (w) => {
        for (const part of parts) {
          await w.write(part);
          assert(!peerSaysComplete(await Deno.readTextFile(path)), "the peer would stop early");
        }
      }, { durable: false });
      const { host } = fakeHost({ readBytes, noEvents: true });
      const late = Array.fromAsync(followFile(path, { host }));
      assert.equal((await live).join(""), parts.join(""));
      assert.equal((await late).join(""), parts.join(""));
    }),
    { numRuns: 150 },
  );
});

Deno.test("follow: a file cut at every byte shows only whole characters and nothing of the end", () => {
  const text = `é\r\n🙂 quotes ${DONE_MARKER}\n${DONE_MARKER}\nand 👩‍👩‍👧\n`;
  const bytes = new TextEncoder().encode(`${text}\n${DONE_MARKER}\n`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const decoder = new TextDecoder();
    const reader = new MarkerReader();
    let shown = "";
    for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
      shown += reader.push(decoder.decode(part, { stream: true }));
      assert(text.startsWith(shown), JSON.stringify(shown));
    }
    assert.equal(shown, text);
    assert(reader.complete);
  }
});
