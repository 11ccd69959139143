import { drops } from "../mod.ts";
import { percentile, type Report, type Row, type Target } from "./_measure.ts";
import { id, tempDir } from "./_tree.ts";

/** From the rename that makes a message visible until a waiting consumer has it, on a local disk. */

const POLL_MS = 100;

/** Room above the bound that is given to the machine, in milliseconds. */
const ROOM_MS = 20;

/** Leaves a message with bare calls; returns when it became visible. */
async function leave(dir: string, index: number): Promise<number> {
  const temp = `${dir}/.tmp-${index}`;
  await Deno.writeTextFile(temp, "wake up\n");
  const visible = performance.now();
  await Deno.rename(temp, `${dir}/${id(index)}.md`);
  return visible;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits at a random point of the poll's rhythm, so that every phase is met. */
const pause = () => sleep(POLL_MS * (0.5 + Math.random()));

/** Latencies of `count` messages; `seen` resolves each time the waiting side has the next one. */
async function latencies(dir: string, count: number, seen: (index: number) => Promise<void>): Promise<number[]> {
  const ms: number[] = [];
  for (let index = 0; index <= count; index++) {
    const woken = seen(index).then(() => performance.now());
    await pause();
    const visible = await leave(dir, index);
    ms.push(await woken - visible);
  }
  return ms.slice(1); // the first one warms up
}

async function library(count: number, events: boolean): Promise<number[]> {
  await using temp = await tempDir();
  Deno.mkdirSync(`${temp.path}/lab`);
  const messages = drops(temp.path, { sessionId: "lab", pollMs: POLL_MS, events });
  try {
    return await latencies(`${temp.path}/lab`, count, async () => {
      const { value } = await messages.next();
      await value.ack();
    });
  } finally {
    await messages.return(undefined);
  }
}

/** The bare event of the system. */
async function bareEvent(count: number): Promise<number[]> {
  await using temp = await tempDir();
  const dir = temp.path;
  using watcher = Deno.watchFs(dir, { recursive: false });
  const events = watcher[Symbol.asyncIterator]();
  return await latencies(dir, count, async (index) => {
    const path = `${dir}/${id(index)}.md`;
    for (let paths: string[] = []; !paths.includes(path); paths = (await events.next()).value.paths);
  });
}

/** A bare timer and a look at the directory. */
async function barePoll(count: number): Promise<number[]> {
  await using temp = await tempDir();
  const dir = temp.path;
  const mtime = async () => (await Deno.lstat(dir)).mtime!.getTime();
  const known = () => Array.from(Deno.readDirSync(dir)).filter((entry) => entry.name.endsWith(".md")).length;
  let seen = 0;
  return await latencies(dir, count, async () => {
    for (let before = await mtime(); known() === seen;) {
      while (await mtime() === before) await sleep(POLL_MS);
      before = await mtime();
    }
    seen = known();
  });
}

function rows(how: string, measured: number[], limit: number[], limitIs: string): Row[] {
  const at = (name: string, share: number): Row => ({
    what: `wake, ${how}, ${name}`,
    measured: percentile(measured, share),
    limit: percentile(limit, share),
    unit: "ms",
    limitIs,
  });
  return [at("median", 0.5), at("p95", 0.95), at("slowest", 1)];
}

/** Latency of `drops`, with events of the file system and without. */
export async function wakeTopic(quick: boolean): Promise<Report> {
  const count = quick ? 4 : 60;
  const withEvents = rows("events", await library(count, true), await bareEvent(count), "bare watchFs");
  const how = `no events, pollMs ${POLL_MS}`;
  const polling = rows(how, await library(count, false), await barePoll(count), "bare timer and stat");
  const target = (what: string, row: Row, most: number): Target => ({ what, measured: row.measured, most, unit: "ms" });
  return {
    rows: [...withEvents, ...polling],
    targets: [
      target("wake with events, slowest", withEvents[2], ROOM_MS),
      target(`wake without events, slowest, at most pollMs + ${ROOM_MS}`, polling[2], POLL_MS + ROOM_MS),
    ],
  };
}
