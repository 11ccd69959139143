/** A full disk, denied entries, wrong kinds: one sentence, nothing lost, nothing left behind. */
import assert from "node:assert/strict";
import {
  awaitPrompt,
  DeadDropError,
  drop,
  dropBundle,
  dropPrompt,
  type Host,
  nextPrompt,
  pendingPrompts,
  pickup,
  replyState,
  replyStream,
  stream,
  watch,
} from "../mod.ts";
import { fakeHost, systemError, tempDir, tree } from "./fake_host.ts";

const BODY = "x".repeat(5000);

/** Everything that writes, each with what must not be there after it failed. */
const WRITERS: Record<string, (dir: string, host: Host) => Promise<unknown>> = {
  "drop": (dir, host) => drop(dir, BODY, { host }),
  "drop under a name": (dir, host) => drop(dir, BODY, { host, name: "n" }),
  "dropBundle": (dir, host) => dropBundle(dir, { "a.txt": BODY, "b.txt": BODY }, { host }),
  "dropPrompt": (dir, host) => dropPrompt(dir, "s", BODY, { host }),
};

for (const [what, write] of Object.entries(WRITERS)) {
  Deno.test(`a disk that fills at any byte during ${what}: one sentence, no leftover (DISK-02, DISK-03)`, async () => {
    await using dir = await tempDir();
    for (const diskBytes of [0, 1, 4096, 5000, 5001, 9999, 10_000, 10_050]) {
      const { host, counters } = fakeHost({ diskBytes });
      const kept = await drop(dir.path, "before", { name: `kept${diskBytes}` });
      try {
        await write(dir.path, host);
        assert(counters.bytesWritten <= diskBytes);
      } catch (error) {
        assert(error instanceof DeadDropError, String(error));
        assert.equal(error.code, "system");
        assert.match(error.message, /^Cannot write .*no space is left.*nothing was lost$/);
        const left = (await tree(dir.path)).filter((path) => /(^|\/)\.tmp-/.test(path) || /^n$/.test(path));
        assert.deepEqual(left, []);
      }
      assert.equal(await Deno.readTextFile(kept), "before");
      await Deno.remove(`${dir.path}/n`).catch(() => {});
    }
  });
}

Deno.test("a disk that fills in mid-reply leaves it unfinished, and it can be begun anew", async () => {
  await using dir = await tempDir();
  const id = await dropPrompt(dir.path, "s", "q");
  const { host } = fakeHost({ diskBytes: 500 });
  const failing = replyStream(dir.path, "s", id, async (w) => {
    for (let i = 0; i < 100; i++) await w.write("0123456789");
  }, { host });
  await assert.rejects(failing, /no space is left/);
  assert.equal(await replyState(dir.path, "s", id), "stale");
  assert.deepEqual(await pendingPrompts(dir.path, "s"), [id]);
  await replyStream(dir.path, "s", id, (w) => w.write("whole"), { restart: true });
  assert.equal(await replyState(dir.path, "s", id), "done");
});

Deno.test("a write that the body did not wait for fails the reply all the same", async () => {
  await using dir = await tempDir();
  const { host } = fakeHost({ diskBytes: 10 });
  const failing = stream(dir.path, "f", (w) => {
    for (let i = 0; i < 5; i++) w.write("0123456789").catch(() => {});
  }, { host });
  await assert.rejects(failing, { code: "system" });
  assert.equal(await Deno.readTextFile(`${dir.path}/f`), "0123456789");
});

Deno.test("a disk that is full when a block is consumed does not lose the block", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/p.txt`;
  await Deno.writeTextFile(path, "one\n---SEND---\n");
  await assert.rejects(nextPrompt(path, { host: fakeHost({ diskBytes: 0 }).host }), /no space is left/);
  assert.equal(await nextPrompt(path), "one");
});

Deno.test("a really full file system: the program says so in one line and goes on once there is room", async () => {
  await using dir = await tempDir();
  const cli = new URL("../cli.ts", import.meta.url).pathname;
  const run = `${Deno.execPath()} run -A --no-check ${cli}`;
  const script = `set -u
    mount -t tmpfs -o size=64k tmpfs ${dir.path} || exit 99
    cd ${dir.path}
    echo small | ${run} drop --dir . --session s --name first || exit 98
    head -c 200000 /dev/zero | ${run} drop --dir . --session s --name big; echo "code $?"
    find . -name '.tmp-*' | wc -l
    ${run} pickup --dir . --session s
    head -c 2000 /dev/zero | ${run} drop --dir . --session s --name fits; echo "code $?"`;
  const flags = Deno.uid() === 0 ? ["-m"] : ["-rm"]; // a mount of our own, seen by nobody else
  const { code, stdout, stderr } = await new Deno.Command("unshare", { args: [...flags, "bash", "-c", script] })
    .output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, err);
  assert.deepEqual(out.split("\n"), [
    `${dir.path}/s/first`,
    "code 1",
    "0",
    "small",
    `${dir.path}/s/fits`,
    "code 0",
    "",
  ]);
  assert.match(err, /^deaddrop: Cannot write \S+\/s\/big: no space is left on that file system; .*\n$/);
});

Deno.test("an entry that may not be read is passed over with one warning (DISK-04)", async () => {
  await using dir = await tempDir();
  await drop(`${dir.path}/s`, "mine", { name: "b" });
  await drop(`${dir.path}/s`, "secret", { name: "a" });
  const fail = (call: string, path: string) =>
    call === "open" && path.endsWith("/a") ? new Deno.errors.PermissionDenied("denied") : undefined;
  const { host } = fakeHost({ fail });
  const warnings: string[] = [];
  const got: unknown[] = [];
  await watch(dir.path, (d) => got.push(d.content), {
    sessionId: "s",
    host,
    maxIters: 1,
    onSkip: ({ reason }) => warnings.push(reason),
  });
  assert.deepEqual([got, warnings], [["mine"], ["denied"]]);
});

Deno.test("a file that NFS took away in between is not there, and stops nobody (NETFS-03)", async () => {
  await using dir = await tempDir();
  await drop(dir.path, "one", { name: "a" });
  await drop(dir.path, "two", { name: "b" });
  let stale = 1;
  const { host } = fakeHost({
    fail: (call, path) => call === "open" && path.endsWith("/a") && stale-- > 0 ? systemError("ESTALE") : undefined,
  });
  assert.equal((await pickup(dir.path, { host }))?.content, "two");
  assert.equal((await pickup(dir.path, { host }))?.content, "one");
});

Deno.test("a directory that is a file, and a file that is a directory, are named", async () => {
  await using dir = await tempDir();
  const file = `${dir.path}/file`;
  await Deno.writeTextFile(file, "");
  const works = [
    () => drop(file, "x"),
    () => pickup(file),
    () => dropPrompt(file, "s", "x"),
    () => pendingPrompts(file, "s"),
  ];
  for (const work of works) {
    await assert.rejects(work, (error: DeadDropError) => error.code === "wrong-kind" && error.message.includes(file));
  }
  await Deno.mkdir(`${dir.path}/p.txt`);
  await assert.rejects(nextPrompt(`${dir.path}/p.txt`), { code: "wrong-kind" });
});

Deno.test("a root that is removed while somebody waits ends the wait with a sentence", async () => {
  await using dir = await tempDir();
  for (const wait of [watch, awaitPrompt]) {
    const root = `${dir.path}/${wait.name}`;
    const options = { sessionId: "s", pollMs: 5 };
    const waiting = wait === watch ? watch(root, () => {}, options) : awaitPrompt(root, options);
    const settled = assert.rejects(waiting, (error: DeadDropError) => error.code === "missing");
    while (!await Deno.lstat(`${root}/s/.deaddrop/session.json`).then(() => true, () => false)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Deno.remove(root, { recursive: true });
    await settled;
  }
});

Deno.test("new files are private, and shared only below a directory that its owner shares", async () => {
  await using dir = await tempDir();
  const mode = async (path: string) => (await Deno.lstat(path)).mode! & 0o7777;
  await drop(`${dir.path}/own/s`, "x", { name: "n" });
  assert.deepEqual([await mode(`${dir.path}/own`), await mode(`${dir.path}/own/s/n`)], [0o700, 0o600]);
  await Deno.mkdir(`${dir.path}/team`);
  await Deno.chmod(`${dir.path}/team`, 0o2770);
  await drop(`${dir.path}/team/s`, "x", { name: "n" });
  assert.deepEqual([await mode(`${dir.path}/team/s`), await mode(`${dir.path}/team/s/n`)], [0o2770, 0o660]);
});
