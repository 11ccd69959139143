import { denoHost, followFile, type Host } from "../mod.ts";
import { percentile, type Row } from "./_measure.ts";
import { tempDir } from "./_tree.ts";

/** Following a file while it grows, one look for each piece: the most looks that a file of this size can cost. */

const PIECE = new TextEncoder().encode("a piece of a reply, as it comes".padEnd(999, ".") + "\n");
const END = new TextEncoder().encode("\n---DONE---\n");

/** This machine, and how many bytes were read of its files. */
function countingHost(): { host: Host; bytesRead(): number } {
  let bytes = 0;
  const open: typeof Deno.open = async (path, options) => {
    const file = await Deno.open(path, options);
    const read = file.read.bind(file);
    file.read = async (buffer) => {
      const count = await read(buffer);
      bytes += count ?? 0;
      return count;
    };
    return file;
  };
  return { host: { ...denoHost, fs: { ...denoHost.fs, open } }, bytesRead: () => bytes };
}

/** Appends the next of `pieces` whenever `texts` showed the one before; returns the lag of each. */
async function pingPong(path: string, pieces: number, texts: AsyncIterable<string>): Promise<number[]> {
  using file = Deno.openSync(path, { append: true, createNew: true });
  const lagMs: number[] = [];
  let writtenAt = performance.now();
  file.writeSync(PIECE);
  let length = 0;
  for await (const text of texts) {
    length += text.length;
    // The follower holds the last line end of a piece back: the marker may follow it.
    if (length < (lagMs.length + 1) * PIECE.length - 1) continue;
    lagMs.push(performance.now() - writtenAt);
    writtenAt = performance.now();
    file.writeSync(lagMs.length < pieces ? PIECE : END);
  }
  return lagMs;
}

/** The least that following takes: an event, and a read where the last one ended. */
async function* bareFollow(dir: string, path: string): AsyncGenerator<string> {
  using watcher = Deno.watchFs(dir, { recursive: false });
  using file = await Deno.open(path);
  const events = watcher[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  while (true) {
    const count = await file.read(buffer);
    const text = decoder.decode(buffer.subarray(0, count ?? 0), { stream: true });
    if (text !== "") yield text;
    if (text.endsWith("---DONE---\n")) return;
    while ((await events.next()).value.kind === "access"); // our own reads
  }
}

/** Bytes read and lag of a file that grows by `pieces` of 1 KB. */
export async function growRows(pieces: number): Promise<Row[]> {
  await using temp = await tempDir();
  await using bareTemp = await tempDir();
  const path = `${temp.path}/reply.md`;
  const { host, bytesRead } = countingHost();
  const lagMs = await pingPong(path, pieces, followFile(path, { host }));
  const barePath = `${bareTemp.path}/reply.md`;
  const bareMs = await pingPong(barePath, pieces, bareFollow(bareTemp.path, barePath));
  const what = `follow, ${pieces} × 1 KB as it grows`;
  const lag = (name: string, share: number): Row => ({
    what: `${what}, lag, ${name}`,
    measured: percentile(lagMs, share),
    limit: percentile(bareMs, share),
    unit: "ms",
    limitIs: "bare watchFs and one read",
  });
  const size = (await Deno.stat(path)).size;
  return [
    { what: `${what}, bytes read`, measured: bytesRead() / 1e6, limit: size / 1e6, unit: "MB", limitIs: "its size" },
    lag("median", 0.5),
    lag("p95", 0.95),
  ];
}
