import assert from "node:assert/strict";
import { DONE_MARKER, isComplete, MarkerGuard, MarkerReader } from "./marker.ts";
import { peerSaysComplete } from "../../tests/peer_reader.ts";

/** Writes `pieces`; returns what is on disk after each, the last one ended. */
function write(pieces: readonly string[]): string[] {
  const guard = new MarkerGuard();
  const states: string[] = [];
  let disk = "";
  for (const piece of pieces) states.push(disk += guard.push(piece));
  states.push(disk + guard.end());
  return states;
}

/** Reads `text` in pieces of `size`; returns what is shown. */
function read(text: string, size: number): { shown: string; complete: boolean } {
  const reader = new MarkerReader();
  let shown = "";
  for (let i = 0; i < text.length; i += size) shown += reader.push(text.slice(i, i + size));
  return { shown, complete: reader.complete };
}

const TEXTS = [
  "",
  "x",
  "x\n",
  "x\r\n",
  "x\r",
  "\n\n",
  DONE_MARKER,
  `${DONE_MARKER}\n`,
  `a\n${DONE_MARKER}`,
  `a\n${DONE_MARKER}\n`,
  `a\n${DONE_MARKER}\nb`,
  `a\n${DONE_MARKER}\n${DONE_MARKER}\n \t\n`,
  `a ${DONE_MARKER}${DONE_MARKER} ${DONE_MARKER}`,
  `---DONE---DONE---`,
  `---DONE------DONE---\r\n`,
  `${DONE_MARKER}\r\n---DON`,
  "🙂é\n---DONE-",
  "\ufeffwith a mark",
];

for (const text of TEXTS) {
  Deno.test(`MarkerGuard and MarkerReader: any cut of ${JSON.stringify(text)} comes back exactly`, () => {
    for (let size = 1; size <= Math.max(1, text.length); size++) {
      const pieces = Array.from(
        { length: Math.ceil(text.length / size) },
        (_, i) => text.slice(i * size, (i + 1) * size),
      );
      const states = write(pieces);
      const whole = states.at(-1)!;
      for (const state of states.slice(0, -1)) {
        assert(!peerSaysComplete(state), `the peer would stop at ${JSON.stringify(state)}`);
        assert(!isComplete(state, true), `we would stop at ${JSON.stringify(state)}`);
      }
      assert(peerSaysComplete(whole));
      // What the decoder drops at the start of a file, one byte order mark, is not the reader's business.
      const decoded = new TextDecoder().decode(new TextEncoder().encode(whole));
      for (let step = 1; step <= decoded.length; step++) {
        const { shown, complete } = read(decoded, step);
        assert.equal(shown, text);
        assert(complete);
      }
    }
  });
}

Deno.test("MarkerReader: a marker that is not the whole last line is text", () => {
  for (const text of [`say ${DONE_MARKER}\n`, `${DONE_MARKER} \n`, `\n${DONE_MARKER}x\n`, `\n${DONE_MARKER}\n\n`]) {
    assert.equal(read(text, 3).complete, false, JSON.stringify(text));
  }
});

Deno.test("MarkerReader: line ends of Windows are an end, too", () => {
  assert.deepEqual(read(`text\r\n${DONE_MARKER}\r\n`, 1), { shown: "text", complete: true });
});

Deno.test("MarkerGuard: half a surrogate pair waits for its other half", () => {
  const guard = new MarkerGuard();
  assert.equal(guard.push("a\ud83d"), "a");
  assert.equal(guard.push("\ude42b"), "🙂b");
});
