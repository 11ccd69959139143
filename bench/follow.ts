import { inChild, type Usage } from "./_child.ts";
import { median, type Report, type Row, type Target } from "./_measure.ts";
import { tempDir } from "./_tree.ts";
import { growRows } from "./grow.ts";

/** Following a file that is complete when the follower comes: what one pass costs. */

const MB = 1_000_000;

/** Peak memory may differ by this much between a small and a large file and is flat all the same: garbage, not text. */
const FLAT_MB = 32;

/** Text of a reply: lines, not all of their characters one byte. */
const BLOCK = new TextEncoder().encode("step 500: the loss diverged – see “log” and the plot\n".repeat(1000));

/** Writes a complete reply of `bytes` bytes or a little more. */
function writeReply(path: string, bytes: number): void {
  using file = Deno.openSync(path, { write: true, createNew: true });
  for (let written = 0; written < bytes; written += BLOCK.length) file.writeSync(BLOCK);
  file.writeSync(new TextEncoder().encode("\n---DONE---\n"));
}

/** Time, CPU, peak memory and bytes read, in this order. */
async function followRows(megabytes: number, rounds: number): Promise<Row[]> {
  await using temp = await tempDir();
  const [path, warmUp] = [`${temp.path}/reply.md`, `${temp.path}/small.md`];
  writeReply(path, megabytes * MB);
  writeReply(warmUp, MB / 4);
  const followed: Usage[] = [];
  const read: Usage[] = [];
  for (let round = 0; round < rounds; round++) {
    followed.push(await inChild("follow", warmUp, path));
    read.push(await inChild("read", warmUp, path));
  }
  const row = (name: string, unit: string, of: (usage: Usage) => number): Row => ({
    what: `follow, ${megabytes} MB, ${name}`,
    measured: median(followed.map(of)),
    limit: median(read.map(of)),
    unit,
    limitIs: "one pass in 64 KiB reads",
  });
  return [
    row("time", "ms", (usage) => usage.ms),
    row("CPU", "ms", (usage) => usage.cpuMs),
    row("peak memory", "MB", (usage) => usage.peakBytes / MB),
    row("bytes read", "MB", (usage) => usage.bytesRead / MB),
  ];
}

/** `followFile` by size, late and live. */
export async function followTopic(quick: boolean): Promise<Report> {
  const sizes = quick ? [1, 5] : [1, 10, 100];
  const rows: Row[] = [];
  for (const megabytes of sizes) rows.push(...await followRows(megabytes, quick ? 1 : 5));
  const peaks = rows.filter((row) => row.what.includes("peak memory"));
  const reads = rows.filter((row) => row.what.includes("bytes read"));
  const targets: Target[] = reads.map(({ what, measured, limit }) => ({
    what: `${what} / size`,
    measured: measured / limit,
    most: 1.1,
    unit: "×",
  }));
  targets.push({
    what: `follow has flat memory: peak with ${sizes.at(-1)} MB less peak with ${sizes[0]} MB`,
    measured: peaks.at(-1)!.measured - peaks[0].measured,
    most: FLAT_MB,
    unit: "MB",
  });
  const growing = await growRows(quick ? 20 : 1000);
  const [{ what, measured, limit }] = growing;
  targets.push({ what: `${what} / size`, measured: measured / limit, most: 1.1, unit: "×" });
  return { rows: [...rows, ...growing], targets };
}
