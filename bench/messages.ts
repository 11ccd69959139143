import { drop, drops, pickup } from "../mod.ts";
import { type Report, type Row, short, sideBySide, type Target, timed } from "./_measure.ts";
import { fill, tempDir } from "./_tree.ts";

/** Single messages: leaving one, taking one, and taking all, by the number that wait already. */

const CONTENT = "one line of text, as messages are\n".repeat(3);

/** Calls per round; the number waiting barely moves. */
const CALLS = 20;

/** The least for a message that nobody sees half of, flushed like the library's when `durable`. */
async function bareDrop(dir: string, name: string, durable: boolean): Promise<void> {
  const temp = `${dir}/.tmp-${name}`;
  const file = await Deno.open(temp, { write: true, createNew: true, mode: 0o600 });
  await file.write(new TextEncoder().encode(CONTENT));
  if (durable) await file.sync();
  file.close();
  await Deno.rename(temp, `${dir}/${name}`);
  if (!durable) return;
  using handle = await Deno.open(dir, { read: true });
  await handle.sync();
}

/** The least to take a message that is known by name: out of the others' sight, then read, then gone. */
async function bareTake(dir: string, name: string): Promise<void> {
  const claimed = `${dir}/.claim-${name}`;
  await Deno.rename(`${dir}/${name}`, claimed);
  await Deno.readFile(claimed);
  await Deno.remove(claimed);
}

async function names(dir: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(dir), (entry) => entry.name)).sort();
}

/** Leaving messages where `waiting` lie already. */
async function dropRow(waiting: number, durable: boolean, rounds: number): Promise<Row> {
  await using temp = await tempDir();
  fill(temp.path, 0, waiting);
  const round = async (one: (index: number) => Promise<string>) => {
    const paths: string[] = [];
    const ms = await timed(async () => {
      for (let index = 0; index < CALLS; index++) paths.push(await one(index));
    });
    for (const path of paths) Deno.removeSync(path);
    return ms / CALLS;
  };
  const times = await sideBySide(
    rounds,
    () => round(() => drop(temp.path, CONTENT, { durable })),
    () => round(async (index) => (await bareDrop(temp.path, `bare-${index}`, durable), `${temp.path}/bare-${index}`)),
  );
  const flushed = durable ? "create, write, fsync, rename, fsync directory" : "create, write, rename";
  return {
    what: `drop, ${durable ? "durable" : "not flushed"}, ${short(waiting)} waiting`,
    ...times,
    unit: "ms",
    limitIs: flushed,
  };
}

/** Taking one message of `waiting`. */
async function pickupRow(waiting: number, rounds: number): Promise<Row> {
  await using temp = await tempDir();
  const dir = temp.path;
  const calls = Math.min(CALLS, waiting / 2);
  const round = async (one: () => Promise<unknown>) => {
    fill(dir, 0, waiting);
    const ms = await timed(async () => {
      for (let index = 0; index < calls; index++) await one();
    });
    return ms / calls;
  };
  const times = await sideBySide(
    rounds,
    () => round(() => pickup(dir)),
    () => round(async () => bareTake(dir, (await names(dir))[0])),
  );
  return { what: `pickup, ${short(waiting)} waiting`, ...times, unit: "ms", limitIs: "listing, rename, read, remove" };
}

/** Taking all of `waiting`, per message. */
async function drainRow(waiting: number, rounds: number): Promise<Row> {
  await using temp = await tempDir();
  const dir = `${temp.path}/lab`;
  const round = async (drain: () => Promise<void>) => {
    fill(dir, 0, waiting);
    return await timed(drain) / waiting;
  };
  const times = await sideBySide(
    rounds,
    () =>
      round(async () => {
        let left = waiting;
        for await (const message of drops(temp.path, { sessionId: "lab", events: false })) {
          await message.ack();
          if (--left === 0) break;
        }
      }),
    () =>
      round(async () => {
        for (const name of await names(dir)) if (!name.startsWith(".")) await bareTake(dir, name);
      }),
  );
  return {
    what: `drain, ${short(waiting)} waiting, per message`,
    ...times,
    unit: "ms",
    limitIs: "one listing; rename, read, remove each",
  };
}

/** `drop` by the number of messages that wait. */
export async function dropTopic(quick: boolean): Promise<Report> {
  const rows: Row[] = [];
  for (const durable of [true, false]) {
    for (const waiting of quick ? [10, 1000] : [10, 1000, 10_000]) {
      rows.push(await dropRow(waiting, durable, quick ? 1 : 9));
    }
  }
  return { rows, targets: [] };
}

/** `pickup` by the number of messages that wait. */
export async function pickupTopic(quick: boolean): Promise<Report> {
  const rows: Row[] = [];
  for (const waiting of quick ? [10, 1000] : [10, 1000, 10_000]) rows.push(await pickupRow(waiting, quick ? 1 : 9));
  return { rows, targets: [] };
}

/** `drops` over a backlog. */
export async function drainTopic(quick: boolean): Promise<Report> {
  const sizes = quick ? [10, 100, 1000] : [10, 1000, 10_000];
  const rows: Row[] = [];
  for (const waiting of sizes) rows.push(await drainRow(waiting, quick ? 1 : 5));
  const [, middle, large] = rows.map((row) => row.measured);
  const linear: Target = {
    what: `drain is linear: per message with ${short(sizes[2])} / with ${short(sizes[1])}`,
    measured: large / middle,
    most: 1.5,
    unit: "×",
  };
  return { rows, targets: [linear] };
}
