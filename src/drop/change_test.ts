import assert from "node:assert/strict";
import { ChangeWaiter, RELIST_MS, SETTLE_MS } from "./change.ts";
import { denoHost, type Host } from "./host.ts";
import { fakeHost, tempDir } from "../../tests/fake_host.ts";

/** A host whose watcher reports what the test says, and whose directories never change their time stamps. */
function scripted(): { host: Host; emit(count: number): void } {
  const events: Deno.FsEvent[] = [];
  let wake = Promise.withResolvers<void>();
  const watcher = {
    async *[Symbol.asyncIterator]() {
      while (true) {
        while (events.length > 0) yield events.shift()!;
        await wake.promise;
        wake = Promise.withResolvers();
      }
    },
    close() {},
  };
  const { host } = fakeHost({ frozenMtime: true });
  return {
    host: { ...host, fs: { ...host.fs, watchFs: () => watcher as unknown as Deno.FsWatcher } },
    emit(count) {
      for (let i = 0; i < count; i++) events.push({ kind: "modify", paths: ["elsewhere/spelt/x"] } as Deno.FsEvent);
      wake.resolve();
    },
  };
}

/** Counts how often a directory is due within `ms` milliseconds of a clock that only sleeping moves on. */
async function dueWithin(ms: number, touch?: (dir: string) => Promise<void>): Promise<number> {
  await using dir = await tempDir();
  const { host } = fakeHost({ noEvents: true });
  let now = 0;
  const clock = {
    ...host.clock,
    monotonic: () => now,
    async sleep(each: number) {
      now += each;
      await touch?.(dir.path);
    },
  };
  const waiter = new ChangeWaiter("a change", [dir.path], { host: { ...host, clock }, pollMs: 100, timeoutMs: ms });
  let due = 0;
  await assert.rejects(async () => {
    while (true) due += (await waiter.next()).size;
  }, { code: "timeout" });
  return due;
}

Deno.test("ChangeWaiter: a hundred equal events are one reason to list (DENO-01)", async () => {
  await using dir = await tempDir();
  const { host, emit } = scripted();
  using waiter = new ChangeWaiter("a change", [dir.path], { host, pollMs: 60_000 });
  assert.deepEqual([...await waiter.next()], [dir.path], "the first look is due at once");
  emit(100);
  await waiter.next();
  const stop = new AbortController();
  const again = Promise.race([
    waiter.next().then(() => "listed again"),
    denoHost.clock.sleep(100, stop.signal).then(() => "quiet"),
  ]);
  assert.equal(await again, "quiet");
  emit(1);
});

Deno.test("ChangeWaiter: a still directory is listed each poll for a while, then at its bound", async () => {
  const settling = SETTLE_MS / 100;
  const due = await dueWithin(SETTLE_MS + 3 * RELIST_MS);
  assert(due >= settling && due <= settling + 5, `${due} listings`);
});

Deno.test("ChangeWaiter: a directory whose time stamp moves at each poll is listed at each poll", async () => {
  let stamp = 0;
  const due = await dueWithin(2000, (dir) => Deno.utime(dir, 0, stamp = (stamp + 7) % 100));
  assert(due >= 19, `${due} listings`);
});
