import assert from "node:assert/strict";
import { fakeHost, tempDir, tree } from "../../tests/fake_host.ts";
import { drop, dropPrompt, ensureMachineInfo, replyStream } from "../../mod.ts";
import { inspectRoot } from "./inspect.ts";
import type { RootReport } from "./report.ts";

const HOUR_MS = 3_600_000;
const PEER_ROOT = new URL("../../testdata/peer-root", import.meta.url);

/** `kind path`, relative to the root. */
const found = ({ root, findings }: RootReport) =>
  findings.map(({ kind, path }) => `${kind} ${path.slice(root.length + 1)}`);

Deno.test("inspectRoot: an orderly root has nothing to report", async () => {
  await using root = await tempDir();
  await ensureMachineInfo(root.path);
  await drop(`${root.path}/lab`, "hello");
  const id = await dropPrompt(root.path, "lab", "why?");
  await replyStream(root.path, "lab", id, (w) => w.write("because"));
  await drop(`${root.path}/prompts`, "older");
  const report = await inspectRoot(root.path);
  assert.equal(report.machineNote, "present");
  assert.deepEqual(report.olderRoute, { prompts: 1, responses: 0 });
  assert.deepEqual(report.sessions, [{
    id: "lab",
    state: "unannounced",
    lastSeen: null,
    hostName: null,
    drops: 1,
    prompts: 1,
    pending: 0,
    streaming: 0,
    stale: 0,
    done: 1,
  }]);
  assert.deepEqual([report.findings, report.moreFindings], [[], 0]);
});

Deno.test("inspectRoot: reads what the Python peer left", async () => {
  const { sessions, findings, machineNote } = await inspectRoot(PEER_ROOT);
  assert.equal(machineNote, "present");
  assert.deepEqual(sessions.map(({ id, drops, prompts }) => [id, drops, prompts]), [["sess-a", 0, 8], [
    "sess-b",
    3,
    0,
  ]]);
  assert(findings.some(({ kind, path }) => kind === "unanswered" && path.endsWith("stillw-6944db")));
});

Deno.test("inspectRoot: an unanswered prompt has an age, a reply in work and one whose writer died are told apart", async () => {
  await using root = await tempDir();
  const [open, writing, died] = [
    await dropPrompt(root.path, "lab", "open"),
    await dropPrompt(root.path, "lab", "writing"),
    await dropPrompt(root.path, "lab", "died"),
  ];
  await assert.rejects(
    replyStream(root.path, "lab", died, async (w) => {
      await w.write("half a");
      throw new Error("the model went away");
    }),
    /went away/,
  );
  const report = await replyStreaming(root.path, writing, () => inspectRoot(root.path));
  assert.deepEqual(found(report), [
    `unfinished-reply lab/outbox/${writing}.md`,
    `stale-reply lab/outbox/${died}.md`,
    `unanswered lab/inbox/${open}`,
  ]);
  assert(report.findings.every(({ ageMs }) => ageMs !== null && ageMs >= 0 && ageMs < HOUR_MS));
  const { pending, streaming, stale, done, state } = report.sessions[0];
  assert.deepEqual({ pending, streaming, stale, done, state }, {
    pending: 2, // the abandoned one needs an answer as well
    streaming: 1,
    stale: 1,
    done: 0,
    state: "answering",
  });
});

/** Runs `look` while a reply is being written. */
async function replyStreaming<T>(root: string, id: string, look: () => Promise<T>): Promise<T> {
  const looked = Promise.withResolvers<T>();
  await replyStream(root, "lab", id, async (w) => {
    await w.write("so far");
    looked.resolve(await look());
  });
  return await looked.promise;
}

Deno.test("inspectRoot: bundles that have not arrived whole are named, empty ones too (SYNC-03)", async () => {
  await using root = await tempDir();
  const id = await dropPrompt(root.path, "lab", { "a.txt": "a", "b.txt": "b" });
  await Deno.remove(`${root.path}/lab/inbox/${id}/b.txt`);
  await Deno.mkdir(`${root.path}/lab/inbox/empty`);
  const report = await inspectRoot(root.path);
  assert.deepEqual(found(report), [`arriving lab/inbox/${id}`, "arriving lab/inbox/empty"]);
  assert.equal(report.sessions[0].pending, 0);
});

Deno.test("inspectRoot: leftovers of sync tools and names that no reader takes are listed (SYNC-01, SYNC-02)", async () => {
  await using root = await tempDir();
  const names = {
    "x.sync-conflict-20260101-000000-ABCDEFG.md": "leftover",
    "x (conflicted copy).md": "leftover",
    "x 2.md": "leftover",
    "x.part": "leftover",
    "Thumbs.db": "leftover",
    "con": "foreign-name",
    "dot.": "foreign-name",
    "tab\there": "foreign-name",
  };
  for (const at of ["lab", "lab/inbox", "lab/outbox", "prompts", "responses"]) {
    await Deno.mkdir(`${root.path}/${at}`, { recursive: true });
    for (const name of Object.keys(names)) await Deno.writeTextFile(`${root.path}/${at}/${name}`, "x");
    await Deno.writeTextFile(`${root.path}/${at}/.DS_Store`, "x"); // hidden, hence nobody's business
  }
  const report = await inspectRoot(root.path);
  for (const at of ["lab", "lab/inbox", "lab/outbox", "prompts", "responses"]) {
    for (const [name, kind] of Object.entries(names)) assert(found(report).includes(`${kind} ${at}/${name}`), name);
  }
  assert.equal(report.findings.length, 5 * Object.keys(names).length);
  assert.equal(report.sessions[0].drops, 0);
});

Deno.test("inspectRoot: links and pipes are named and never followed (PATH-03)", async () => {
  await using outside = await tempDir();
  await using root = await tempDir();
  await dropPrompt(outside.path, "x", "secret");
  await Deno.mkdir(`${root.path}/lab/inbox`, { recursive: true });
  await Deno.symlink(`${outside.path}/x`, `${root.path}/linked`);
  await Deno.symlink("/etc/passwd", `${root.path}/lab/inbox/secret`);
  await Deno.symlink(`${outside.path}/x`, `${root.path}/lab/outbox`);
  await Deno.symlink(outside.path, `${root.path}/lab/.deaddrop`);
  await Deno.mkdir(`${root.path}/odd`);
  await Deno.writeTextFile(`${root.path}/odd/inbox`, "a file where a directory belongs");
  await new Deno.Command("mkfifo", { args: [`${root.path}/lab/pipe`] }).output();
  const report = await inspectRoot(root.path);
  assert.deepEqual(found(report).sort(), [
    "not-regular lab/.deaddrop",
    "not-regular lab/inbox/secret",
    "not-regular lab/outbox",
    "not-regular lab/pipe",
    "not-regular linked",
    "not-regular odd/inbox",
  ]);
  assert.deepEqual(report.sessions.map(({ id, drops }) => [id, drops]), [["lab", 0], ["odd", 0]]);
});

Deno.test("inspectRoot: unreadable entries and perhaps missing downloads are named (SYNC-05, DISK-04)", async () => {
  await using root = await tempDir();
  await drop(`${root.path}/lab`, "denied", { name: "denied" });
  await Deno.chmod(`${root.path}/lab/denied`, 0o000);
  await Deno.writeTextFile(`${root.path}/lab/cloud`, "");
  await Deno.truncate(`${root.path}/lab/cloud`, 1000); // a size without a block, as evicted files have
  await Deno.writeTextFile(`${root.path}/lab/.note.icloud`, "x");
  const report = await inspectRoot(root.path);
  assert.deepEqual(found(report).sort(), [
    "placeholder lab/.note.icloud",
    "placeholder lab/cloud",
    "unreadable lab/denied",
  ]);
  assert.match(report.findings.find(({ kind }) => kind === "placeholder")!.advice, /perhaps/i);
  const path = `${root.path}/lab`;
  const { host } = fakeHost({
    fail: (call, at) => call === "lstat" && at.startsWith(`${path}/`) ? new Deno.errors.PermissionDenied() : undefined,
  });
  const denied = await inspectRoot(root.path, { host });
  assert(denied.findings.every(({ kind }) => kind === "unreadable"));
  assert.equal(denied.sessions[0].state, "unreadable");
});

Deno.test("inspectRoot: claims and temporaries are named once they are old, by an age that nothing is written for", async () => {
  await using root = await tempDir();
  await dropPrompt(root.path, "lab", "why?");
  await Deno.writeTextFile(`${root.path}/lab/.claim-0badcafe-1-00000000~note`, "taken");
  await Deno.writeTextFile(`${root.path}/lab/.tmp-${"0".repeat(32)}`, "half");
  await Deno.mkdir(`${root.path}/lab/inbox/.tmp-${"1".repeat(32)}`);
  const before = await tree(root.path);
  assert.deepEqual(found(await inspectRoot(root.path)).map((each) => each.split(" ")[0]), ["unanswered"]);

  const { host, counters } = fakeHost({ clockOffsetMs: 2 * HOUR_MS });
  const { findings } = await inspectRoot(root.path, { host });
  assert.deepEqual(findings.map(({ kind }) => kind).sort(), ["stale-claim", "stale-temp", "stale-temp", "unanswered"]);
  assert(findings.every(({ ageMs }) => ageMs! > HOUR_MS));
  assert.deepEqual(await tree(root.path), before);
  const writing = ["mkdir", "rename", "remove", "link", "chmod", "utime"];
  assert.deepEqual([...counters.calls.keys()].filter((call) => writing.includes(call)), []);
  assert.equal(counters.bytesWritten, 0);
});

Deno.test("inspectRoot: lists as many findings as it may and counts the others", async () => {
  await using root = await tempDir();
  await Deno.mkdir(`${root.path}/lab`);
  for (let i = 0; i < 5; i++) await Deno.writeTextFile(`${root.path}/lab/${i}.part`, "");
  const { findings, moreFindings } = await inspectRoot(root.path, { maxFindings: 2 });
  assert.deepEqual([findings.length, moreFindings], [2, 3]);
});

Deno.test("inspectRoot: a damaged note about the machine is told from a missing one", async () => {
  await using root = await tempDir();
  assert.equal((await inspectRoot(root.path)).machineNote, "missing");
  await Deno.writeTextFile(`${root.path}/MACHINE_INFO.md`, "");
  assert.equal((await inspectRoot(root.path)).machineNote, "damaged");
});

Deno.test("inspectRoot: reads only the ends of replies", async () => {
  await using root = await tempDir();
  const id = await dropPrompt(root.path, "lab", "tell me all");
  await replyStream(root.path, "lab", id, (w) => w.write("x".repeat(1 << 20)));
  const { host, counters } = fakeHost();
  assert.equal((await inspectRoot(root.path, { host })).sessions[0].done, 1);
  assert(counters.bytesRead < 4096, `${counters.bytesRead} bytes`);
});

Deno.test("inspectRoot: a root that is missing or a file is an error", async () => {
  await using root = await tempDir();
  await assert.rejects(inspectRoot(`${root.path}/none`), { code: "missing" });
  await Deno.writeTextFile(`${root.path}/file`, "");
  await assert.rejects(inspectRoot(`${root.path}/file`), { code: "wrong-kind" });
});
