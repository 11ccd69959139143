/** The program as a process: what goes in, what comes out, how it ends, and what it leaves on the disk. */
import assert from "node:assert/strict";
import {
  drop,
  dropPrompt,
  ensureMachineInfo,
  followReply,
  pendingPrompts,
  pickup,
  replyState,
  replyStream,
} from "../mod.ts";
import { tempDir, tree, until } from "./fake_host.ts";

const PROGRAM = new URL("../cli.ts", import.meta.url).pathname;
const BINARY = Uint8Array.of(0x89, 0x50, 0x0d, 0x0a, 0x00, 0xff, 0x1b, 0x0a);
/** More than a pipe holds, so that a write cannot end before somebody reads. */
const LARGE = "x".repeat(1 << 20);

interface Input {
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  readonly env?: Record<string, string>;
}

interface Result {
  readonly code: number;
  readonly bytes: Uint8Array;
  readonly out: string;
  readonly err: string;
}

/** Starts the program; the environment names neither a root nor a session unless `env` does. */
function start(args: readonly string[], env: Record<string, string> = {}, stdin: "piped" | "null" = "null") {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROGRAM, ...args],
    env: { DEADDROP_DIR: "", CLAUDE_CODE_SESSION_ID: "", ...env },
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs the program to its end. */
async function run(args: readonly string[], { stdin, env }: Input = {}): Promise<Result> {
  const process = start(args, env, stdin === undefined ? "null" : "piped");
  if (stdin !== undefined) await new Blob([stdin]).stream().pipeTo(process.stdin);
  return await ended(process);
}

async function ended(process: Deno.ChildProcess): Promise<Result> {
  const { code, stdout, stderr } = await process.output();
  return { code, bytes: stdout, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

/** Asserts that it went well and without a word on stderr; returns what it printed. */
function ok({ code, out, err }: Result): string {
  assert.deepEqual({ code, err }, { code: 0, err: "" });
  return out;
}

/** Asserts that it printed nothing but one sentence on stderr. */
function failed({ code, out, err }: Result, expected: number, sentence?: RegExp) {
  assert.match(err, /^deaddrop: [^\n]+[.!?]\n$/);
  assert.deepEqual({ code, out }, { code: expected, out: "" }, err);
  if (sentence !== undefined) assert.match(err, sentence);
}

const read = (path: string) => Deno.readTextFile(path).catch(() => "");
const isThere = (path: string) => Deno.lstat(path).then(() => true, () => false);

/** Ends a process that waits. */
async function interrupt(process: Deno.ChildProcess, signal: Deno.Signal = "SIGINT"): Promise<Result> {
  process.kill(signal);
  return await ended(process);
}

const COMMANDS = [
  ..."ask prompt follow sessions await pending read reply drop pickup watch next-prompt".split(" "),
  ..."watch-prompts respond-prompt doctor completions".split(" "),
];

Deno.test("help: the root lists every command and the exit codes, and every command shows an example", async () => {
  const root = ok(await run(["--help"]));
  for (const name of COMMANDS) assert.match(root, new RegExp(`^  ${name}\\b`, "m"));
  for (const code of [0, 1, 2, 3, 4, 5, 130]) assert.match(root, new RegExp(`^ +${code}  \\w`, "m"));
  assert.doesNotMatch(root, /watch_prompts|^ +complete\b/m);
  await Promise.all(COMMANDS.map(async (name) => {
    const help = ok(await run([name, "--help"]));
    assert.match(help, new RegExp(`^Usage: deaddrop ${name} `));
    assert.match(help, new RegExp(`Example:\n  \\$ .*deaddrop ${name}`));
    assert.match(help, /--dir <dir>[^]*--json[^]*--poll-ms <ms>/);
  }));
});

Deno.test("help and version: need no permission", async () => {
  for (const flag of ["--help", "--version"]) {
    const args = ["run", "--no-prompt", "--no-check", PROGRAM, flag];
    const { code, stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
    assert.equal(code, 0);
    assert.match(new TextDecoder().decode(stdout), /^(?:Usage: |\d+\.\d+\.\d+)/);
  }
});

Deno.test("usage: what commander refuses is one sentence and exit code 2", async () => {
  const wrong = [
    ["prmpt"],
    ["drop", "--nam", "x"],
    ["prompt"],
    ["pickup", "one", "two"],
    ["completions", "tcsh"],
    ["await", "--session"],
    ["sessions", "--poll-ms", "0"],
    ["await", "--timeout", "soon"],
    ["watch", "--max", "1.5"],
    ["sessions", "--dir", ""],
  ];
  await Promise.all(wrong.map(async (args) => failed(await run(args), 2)));
  failed(await run(["prmpt"]), 2, /Did you mean prompt/);
});

Deno.test("drop and pickup: bytes come out as they went in, and only once", async () => {
  await using root = await tempDir();
  const at = ["--dir", root.path, "--session", "lab"];
  const path = ok(await run(["drop", ...at, "--name", "note", "--no-durable"], { stdin: BINARY })).trimEnd();
  assert.equal(path, `${root.path}/lab/note`);
  assert.deepEqual(await Deno.readFile(path), BINARY);
  const json = JSON.parse(ok(await run(["pickup", ...at, "--keep", "--json"])));
  assert.deepEqual(json.content, { base64: BINARY.toBase64() });
  const { code, bytes, err } = await run(["pickup", ...at]);
  assert.deepEqual({ code, bytes, err }, { code: 0, bytes: BINARY, err: "" });
  assert.deepEqual(await tree(root.path), ["lab/"]);
  failed(await run(["pickup", ...at]), 3, /Nothing is pending for lab/);
});

Deno.test("drop: a name that is taken is refused unless it is to be replaced", async () => {
  await using root = await tempDir();
  const args = ["drop", "--dir", root.path, "--session", "lab", "--name", "note"];
  ok(await run([...args, "one"]));
  failed(await run([...args, "two"]), 2, /is taken/);
  assert.deepEqual(JSON.parse(ok(await run([...args, "three", "--replace", "--json"]))), {
    path: `${root.path}/lab/note`,
  });
  assert.equal(await read(`${root.path}/lab/note`), "three");
});

Deno.test("pickup: a reader that closed the pipe costs no message", async () => {
  await using root = await tempDir();
  await drop(`${root.path}/lab`, LARGE, { name: "note" });
  await drop(`${root.path}/prompts`, LARGE, { name: "sum" });
  for (const command of ["pickup", "watch", "watch-prompts"]) {
    const session = command === "watch-prompts" ? [] : ["--session", "lab"];
    const process = start([command, "--dir", root.path, ...session]);
    await process.stdout.cancel();
    const [{ code }, err] = await Promise.all([process.status, new Response(process.stderr).text()]);
    assert.equal(code, 1, command);
    assert.match(err, /^deaddrop: Cannot write the output: its reader is gone\.\n$/);
  }
  assert.equal((await pickup(`${root.path}/lab`))?.content, LARGE);
  assert.equal((await pickup(`${root.path}/prompts`))?.content, LARGE);
  assert(!(await tree(root.path)).some((path) => path.includes(".claim-")));
});

Deno.test("pickup: a full disk behind stdout costs no message", async () => {
  await using root = await tempDir();
  await drop(`${root.path}/lab`, "precious", { name: "note" });
  const shell = `"$0" run -A --no-check "$1" pickup --dir "$2" --session lab > /dev/full`;
  const args = ["-c", shell, Deno.execPath(), PROGRAM, root.path];
  const { code, stderr } = await new Deno.Command("sh", { args, stderr: "piped" }).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /^deaddrop: Cannot write the output: no space is left [^\n]+\n$/);
  assert.deepEqual(await tree(root.path), ["lab/", "lab/note"]);
});

Deno.test("pickup: interrupted while nobody reads, it puts the message back", async () => {
  await using root = await tempDir();
  await drop(`${root.path}/lab`, LARGE, { name: "note" });
  const process = start(["pickup", "--dir", root.path, "--session", "lab"]);
  await until(async () => (await tree(root.path)).some((path) => path.includes(".claim-")));
  const { code, err } = await interrupt(process);
  assert.deepEqual({ code, err }, { code: 130, err: "deaddrop: Interrupted.\n" });
  assert.deepEqual(await tree(root.path), ["lab/", "lab/note"]);
});

Deno.test("watch: prints each message, removes it afterwards, and names the session it made up", async () => {
  await using root = await tempDir();
  for (const text of ["one", "two\n", "three"]) await drop(`${root.path}/lab`, text);
  const at = ["watch", "--dir", root.path];
  assert.equal(ok(await run([...at, "--session", "lab", "--keep", "--max", "3"])), "one\ntwo\nthree\n");
  assert.equal(ok(await run([...at, "--max", "2"], { env: { CLAUDE_CODE_SESSION_ID: "lab" } })), "one\ntwo\n");
  const json = JSON.parse(ok(await run([...at, "--session", "lab", "--max", "1", "--json"])));
  assert.deepEqual([json.sessionId, json.content, json.redelivered], ["lab", "three", false]);
  assert.equal(await pickup(`${root.path}/lab`), null);

  const process = start([...at, "--poll-ms", "20", "--max", "1"]);
  const made = async () => (await tree(root.path)).map((path) => /^([0-9a-f]{12})\/$/.exec(path)?.[1]).find(Boolean);
  await until(async () => await made() !== undefined);
  await drop(`${root.path}/${await made()}`, "hello");
  const { code, out, err } = await ended(process);
  assert.deepEqual({ code, out }, { code: 0, out: "hello\n" });
  assert.match(err, new RegExp(`^deaddrop: Serving the new session ${await made()}, [^\n]+\\.\n$`));
});

Deno.test("sessions: lists who is there, as a table and as JSON", async () => {
  await using root = await tempDir();
  const at = ["sessions", "--dir", root.path];
  assert.equal(ok(await run(at)), "");
  await drop(`${root.path}/desk`, "hello");
  await dropPrompt(root.path, "lab", "hello");
  assert.match(ok(await run(at)), /^desk +unannounced +- +-\nlab +unannounced +- +-\n$/);
  const [lab, ...others] = JSON.parse(ok(await run([...at, "--require", "inbox,outbox", "--json"])));
  assert.deepEqual([lab.id, lab.state, others], ["lab", "unannounced", []]);
});

Deno.test("prompt and read: text and files arrive byte for byte", async () => {
  await using root = await tempDir();
  const plot = `${root.path}/plot.png`;
  await Deno.writeFile(plot, BINARY);
  const at = ["--dir", `${root.path}/drop`];
  const id = ok(await run(["prompt", "lab", ...at, "--file", plot, "--file", PROGRAM], { stdin: "what is it?\r\n" }))
    .trimEnd();
  assert.match(id, /^\d{8}T\d{9}-whatis-[0-9a-f]{6}$/);
  const json = JSON.parse(ok(await run(["read", id, ...at, "--json"])));
  assert.deepEqual([json.id, json.session], [id, "lab"]);
  assert.deepEqual(json.files["plot.png"], { base64: BINARY.toBase64() });
  assert.equal(json.files["cli.ts"], await read(PROGRAM));
  assert.deepEqual((await run(["read", id, ...at, "--file", "plot.png"])).bytes, BINARY);
  assert.match(
    ok(await run(["read", id, ...at])),
    /==> plot.png <==\n\(8 bytes: .*==> prompt.md <==\nwhat is it\?\r\n$/s,
  );
  failed(await run(["read", id, ...at, "--file", "plot.jpg"]), 1, /it holds cli\.ts, plot\.png, prompt\.md/);

  const single = ok(await run(["prompt", "lab", "no newline", ...at])).trimEnd();
  assert.equal(ok(await run(["read", single, ...at, "--session", "lab"])), "no newline");
  failed(await run(["prompt", "lab", ...at], { stdin: "" }), 2, /empty prompt/);
  failed(await run(["prompt", "lab", "x", ...at, "--file", plot, "--file", plot]), 2, /two files/);
  assert.deepEqual((await pendingPrompts(`${root.path}/drop`, "lab")).length, 2);
});

Deno.test("pending and await: the oldest unanswered prompt, with its id and files", async () => {
  await using root = await tempDir();
  const at = ["--dir", root.path, "--session", "lab"];
  const id = await dropPrompt(root.path, "lab", "hello");
  const other = await dropPrompt(root.path, "lab", "there");
  assert.equal(ok(await run(["pending", ...at])), `${id}\n${other}\n`);
  assert.deepEqual(JSON.parse(ok(await run(["pending", ...at, "--json"]))), [id, other]);
  assert.equal(ok(await run(["await", ...at])), `${id}\n==> prompt.md <==\nhello\n`);
  assert.deepEqual(JSON.parse(ok(await run(["await", ...at, "--json"]))), {
    id: other,
    sessionId: "lab",
    files: { "prompt.md": "there" },
    redelivered: false,
    abandoned: false,
  });
  failed(await run(["await", ...at, "--timeout", "0.1"]), 3, /Gave up waiting for a prompt for lab after 0\.1 s/);
});

Deno.test("await: an interruption ends it with 130", async () => {
  await using root = await tempDir();
  const process = start(["await", "--dir", root.path, "--session", "lab"]);
  await until(() => isThere(`${root.path}/lab/.deaddrop/session.json`));
  const result = await interrupt(process);
  failed(result, 130, /Interrupted/);
});

Deno.test("reply: stdin is visible as it comes, and follow prints exactly that", async () => {
  await using root = await tempDir();
  const id = await dropPrompt(root.path, "lab", "why?");
  const file = `${root.path}/lab/outbox/${id}.md`;
  const process = start(["reply", id, "--dir", root.path, "--model", "example-1"], {}, "piped");
  const following = run(["follow", id, "--dir", root.path, "--poll-ms", "20"]);
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode("because \ud83d\ude42").subarray(0, -2));
  await until(async () => await read(file) === "because ");
  assert.equal(await replyState(root.path, "lab", id), "streaming");
  await writer.write(new TextEncoder().encode("\ud83d\ude42").subarray(2));
  await until(async () => await read(file) === "because 🙂");
  await writer.close();
  assert.equal(ok(await ended(process)), `${file}\n`);
  assert.equal(await read(file), "because 🙂\n---MODEL: example-1---\n---DONE---\n");
  assert.equal(ok(await following), "because 🙂\n---MODEL: example-1---");
  failed(await run(["reply", id, "again", "--dir", root.path]), 2, /already answered/);
});

Deno.test("reply: input that is no text, or an interruption, leaves the reply unfinished until it is restarted", async () => {
  await using root = await tempDir();
  const id = await dropPrompt(root.path, "lab", "why?");
  const reply = ["reply", id, "--dir", root.path, "--session", "lab"];
  const file = `${root.path}/lab/outbox/${id}.md`;
  failed(await run(reply, { stdin: Uint8Array.of(0x61, 0xff) }), 2, /not UTF-8/);
  assert.equal(await replyState(root.path, "lab", id), "stale");
  failed(await run([...reply, "text"]), 2, /begun and not finished/);

  const process = start([...reply, "--restart"], {}, "piped");
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode("half"));
  await until(async () => await read(file) === "half");
  failed(await interrupt(process, "SIGTERM"), 130);
  await writer.abort().catch(() => {});
  assert.equal(await read(file), "half");

  failed(await run([...reply, "x", "--restart", "--model", "two\nlines"]), 2, /one line/);
  assert.equal(JSON.parse(ok(await run([...reply, "whole", "--restart", "--json"]))).path, file);
  assert.equal(await read(file), "whole\n---DONE---\n");
  failed(await run(["reply", "no-such-prompt", "x", "--dir", root.path, "--session", "lab"]), 1, /no such prompt/);
});

Deno.test("follow: ends at its bound with the line that resumes it, and with --json prints pieces", async () => {
  await using root = await tempDir();
  const dir = `${root.path}/it's here`;
  const id = await dropPrompt(dir, "lab", "why?");
  failed(
    await run(["follow", id, "--dir", dir, "--timeout", "0.1"]),
    3,
    /`deaddrop follow .*it'\\''s here'` resumes\.$/m,
  );
  await replyStream(dir, "lab", id, (w) => w.write("yes"));
  assert.equal(ok(await run(["follow", id, "--dir", dir, "--json"])), '{"text":"yes"}\n{"state":"done"}\n');
});

Deno.test("ask: streams the answer, and at its bound says how to go on", async () => {
  await using root = await tempDir();
  const process = start(["ask", "lab", "is CI green?", "--dir", root.path, "--poll-ms", "20"]);
  await until(async () => (await pendingPrompts(root.path, "lab")).length === 1);
  const [id] = await pendingPrompts(root.path, "lab");
  await replyStream(root.path, "lab", id, async (w) => {
    await w.write("y");
    await w.write("es");
  });
  assert.equal(ok(await ended(process)), "yes");

  const late = await run(["ask", "lab", "and now?", "--dir", root.path, "--timeout", "0.1"]);
  failed(late, 3);
  const [, , ...resume] = /`(deaddrop follow [^`]+)`/.exec(late.err)![1].split(" ");
  await replyStream(root.path, "lab", resume[0], (w) => w.write("still yes"));
  assert.equal(ok(await run(["follow", ...resume])), "still yes");
});

Deno.test("ask: says once that the writer of the answer died, and how to begin anew", async () => {
  await using root = await tempDir();
  const asking = start(["ask", "lab", "why?", "--dir", root.path, "--poll-ms", "20", "--stall", "0.2", "--json"]);
  await until(async () => (await pendingPrompts(root.path, "lab")).length === 1);
  const [id] = await pendingPrompts(root.path, "lab");
  const writing = start(["reply", id, "--dir", root.path], {}, "piped");
  const writer = writing.stdin.getWriter();
  await writer.write(new TextEncoder().encode("half"));
  await until(async () => await read(`${root.path}/lab/outbox/${id}.md`) === "half");
  await interrupt(writing, "SIGKILL");
  await writer.abort().catch(() => {});

  let err = "";
  const out = new Response(asking.stdout).text();
  for await (const text of asking.stderr.pipeThrough(new TextDecoderStream())) {
    err += text;
    if (/writer is gone/.test(text)) asking.kill("SIGINT");
  }
  assert.equal((await asking.status).code, 130);
  const restart = `deaddrop reply ${id} --session lab --dir ${root.path} --restart`;
  assert.match(err, new RegExp(`^deaddrop: The reply has not grown for \\d+ s [^\n]+\`${restart}\` begins anew\\.\n`));
  assert.match(err, /Interrupted; `deaddrop follow [^\n]+` resumes\.\n$/);
  assert.equal(err.match(/writer is gone/g)?.length, 1);
  assert.equal(await out, `{"id":"${id}","session":"lab"}\n{"text":"half"}\n`);
});

Deno.test("session: from the option, the environment, or the only inbox that holds the id; else refused", async () => {
  await using root = await tempDir();
  const at = ["--dir", root.path];
  for (const command of ["pickup", "pending", "drop"]) failed(await run([command, ...at]), 2, /pass --session/);
  const id = await dropPrompt(root.path, "lab", "hello");
  assert.equal(ok(await run(["read", id], { env: { DEADDROP_DIR: root.path } })), "hello");
  assert.equal(ok(await run(["read", id, ...at], { env: { CLAUDE_CODE_SESSION_ID: "desk" } })), "hello");
  assert.equal(ok(await run(["pending", ...at], { env: { CLAUDE_CODE_SESSION_ID: "lab" } })), `${id}\n`);
  failed(await run(["pending", ...at], { env: { CLAUDE_CODE_SESSION_ID: "../lab" } }), 2, /session id/);
  failed(await run(["read", "unknown-id", ...at]), 2, /no session .* holds the prompt/);
  failed(await run(["read", "unknown-id", ...at, "--session", "lab"]), 1, /does not exist/);
  await Deno.mkdir(`${root.path}/desk/inbox/${id}`, { recursive: true });
  failed(await run(["reply", id, "x", ...at]), 2, /each of desk, lab/);
});

Deno.test("next-prompt: the next submitted block, under both spellings", async () => {
  await using root = await tempDir();
  const file = `${root.path}/prompts.txt`;
  await Deno.writeTextFile(file, "one\ntwo\n---SEND---\nthree\n---SEND---\nfour\nGO\n");
  assert.equal(ok(await run(["next-prompt", file])), "one\ntwo\n");
  assert.deepEqual(JSON.parse(ok(await run(["next_prompt", file, "--json"]))), { text: "three" });
  failed(await run(["next-prompt", file, "--timeout", "0.1"]), 3, /Gave up waiting for a submitted block/);
  failed(await run(["next-prompt", file, "--marker", "("]), 2, /not a regular expression/);
  failed(await run(["next-prompt", root.path]), 2, /not a regular file/);
});

Deno.test("watch_prompts and respond_prompt: the older route, to the byte", async () => {
  await using root = await tempDir();
  const at = ["--dir", root.path];
  const waiting = start(["watch_prompts", ...at]);
  await until(() => isThere(`${root.path}/prompts`));
  await drop(`${root.path}/prompts`, 'é "q" \\ 🙂\t\x7f\u2028\n', { name: "sum" });
  assert.equal(
    ok(await ended(waiting)),
    '{"name": "sum", "content": "\\u00e9 \\"q\\" \\\\ \\ud83d\\ude42\\t\\u007f\\u2028\\n"}\n',
  );
  assert(!await isThere(`${root.path}/prompts/sum`));
  const answer = ["respond_prompt", "sum", ...at, "--model", "M 1"];
  assert.equal(ok(await run(answer, { stdin: "42\n\n" })), "OK: response written for sum\n");
  assert.equal(await read(`${root.path}/responses/sum`), "42\n---MODEL: M 1---\n---DONE---\n");
  failed(await run(["respond-prompt", "sum", "43", ...at]), 2, /is taken/);
  assert.equal(JSON.parse(ok(await run(["respond-prompt", "b", "x", ...at, "--json"]))).name, "b");
  failed(await run(["watch-prompts", ...at, "--timeout", "0.1"]), 3);
});

Deno.test("doctor: tells people and programs what needs a hand, and prints nothing that moves the cursor", async () => {
  await using root = await tempDir();
  await ensureMachineInfo(root.path);
  const doctor = ["doctor", "--dir", root.path];
  assert.match(ok(await run(doctor)), /machine note +present\n[^]*findings +none/);
  const id = await dropPrompt(root.path, "lab", "anybody?");
  await Deno.writeTextFile(`${root.path}/lab/inbox/\x1b[31mred\nsessions none`, "");
  const text = ok(await run(doctor));
  assert.match(text, new RegExp(`^unanswered  lab/inbox/${id}  \\(\\d+ s\\)\n  Nobody answers`, "m"));
  assert.match(text, /^foreign-name +lab\/inbox\/ ?\[31mred sessions none/m);
  assert(!text.includes("\x1b"));
  const report = JSON.parse(ok(await run([...doctor, "--json"])));
  assert.equal(report.sessions[0].pending, 1);
  failed(await run(["doctor", "--dir", `${root.path}/none`]), 1, /does not exist/);
  failed(
    await run(["doctor", "--dir", `${root.path}/MACHINE_INFO.md`]),
    1,
    /a file stands where a directory should be/,
  );
});

Deno.test("completions: a script for each shell, and commands and sessions for a Tab", async () => {
  await using root = await tempDir();
  await drop(`${root.path}/lab`, "x");
  for (const shell of ["bash", "zsh", "fish"]) {
    assert.match(ok(await run(["completions", shell])), /deaddrop complete --/);
  }
  const env = { DEADDROP_DIR: root.path };
  assert.match(ok(await run(["complete", "--", "pro"], { env })), /^prompt\t/);
  assert.match(ok(await run(["complete", "--", "prompt", ""], { env })), /^lab\t/);
  assert.match(ok(await run(["complete", "--", "pickup", "--session", ""], { env })), /^lab\t/);
  assert.match(ok(await run(["complete", "--", "watch", "--ma"], { env })), /^--max\t/);
});

const HOSTILE = ["..", "/x", "a/b", "C:x", "con", "x".repeat(300), ".hidden", "dot.", "blank ", "half\ud800"];

Deno.test("PATH-01: hostile names are refused everywhere with one sentence, and nothing is made", async () => {
  await using root = await tempDir();
  const at = ["--dir", root.path];
  // One grammar stands behind them all, so each name goes to one command per kind of name, in turn.
  const sessions = [["drop", "x", "--session"], ["prompt"], ["pending", "--session"], ["await", "--session"]];
  const ids = [["read"], ["follow", "--session", "lab"], ["reply", "--session", "lab"]];
  const names = [["drop", "x", "--session", "lab", "--name"], ["respond-prompt"]];
  for (const [index, hostile] of HOSTILE.entries()) {
    await Promise.all([sessions, ids, names].map(async (commands) => {
      const command = commands[index % commands.length];
      failed(await run([...command, hostile, ...at], { stdin: "x" }), 2, /^deaddrop: Cannot use "/);
    }));
  }
  assert.deepEqual(await tree(root.path), []);
  // A process cannot be given NUL as an argument, a caller of the library can.
  for (const name of ["x\0", "a\0b"]) {
    await assert.rejects(drop(root.path, "x", { name }), { code: "bad-input" });
    await assert.rejects(dropPrompt(root.path, name, "x"), { code: "bad-input" });
    await assert.rejects(dropPrompt(root.path, "lab", { [name]: "x" }), { code: "bad-input" });
    await assert.rejects(followReply(root.path, "lab", name).next(), { code: "bad-input" });
  }
  assert.deepEqual(await tree(root.path), []);
});

Deno.test("PATH-01: files of hostile names are not sent", async () => {
  await using root = await tempDir();
  const at = ["--dir", `${root.path}/drop`];
  const names = HOSTILE.filter((name) => !name.includes("/") && name !== ".." && name.length < 300).concat(
    "a\\b",
    "a\nb",
  );
  for (const name of names) await Deno.writeTextFile(`${root.path}/${name}`, "x");
  await Promise.all([...names, ".."].map(async (name) => {
    failed(await run(["prompt", "lab", "x", ...at, "--file", `${root.path}/${name}`]), 2);
  }));
  failed(await run(["ask", "lab", "x", ...at, "--file", `${root.path}/missing`]), 1, /does not exist/);
  assert(!await isThere(`${root.path}/drop`));
});

Deno.test("kinds: a file where a directory should be, and the other way round, is one sentence", async () => {
  await using root = await tempDir();
  const file = `${root.path}/file`;
  await Deno.writeTextFile(file, "");
  const session = ["--session", "lab"];
  const onFile = [
    ["drop", "x", ...session],
    ["pickup", ...session],
    ["watch", ...session],
    ["sessions"],
    ["prompt", "lab", "x"],
    ["pending", ...session],
    ["await", ...session],
    ["watch-prompts"],
    ["respond-prompt", "sum", "x"],
  ];
  await Promise.all(onFile.map(async (args) => failed(await run([...args, "--dir", file]), 2)));

  const at = ["--dir", root.path];
  const id = await dropPrompt(root.path, "lab", "x");
  await Deno.mkdir(`${root.path}/lab/outbox/${id}.md`, { recursive: true });
  await Deno.mkdir(`${root.path}/lab/note`);
  await Deno.mkdir(`${root.path}/odd`);
  await Deno.writeTextFile(`${root.path}/odd/inbox`, "");
  failed(await run(["drop", "x", ...at, "--session", "file"]), 2);
  failed(await run(["prompt", "odd", "x", ...at]), 2);
  failed(await run(["drop", "x", ...at, ...session, "--name", "note", "--replace"]), 2);
  failed(await run(["reply", id, "x", ...at]), 2);
  failed(await run(["prompt", "lab", "x", ...at, "--file", root.path]), 2, /not a regular file/);
  assert.equal(await read(file), "");
  assert(!(await tree(root.path)).some((path) => path.includes(".tmp-")));
});

Deno.test("waiting: a root that is removed ends the wait with one sentence, and is not made again", async () => {
  for (const [command, sign] of [["watch", "lab/.deaddrop/session.json"], ["await", "lab/.deaddrop/session.json"]]) {
    await using root = await tempDir();
    const dir = `${root.path}/drop`;
    const process = start([command, "--dir", dir, "--session", "lab", "--poll-ms", "20"]);
    await until(() => isThere(`${dir}/${sign}`));
    await Deno.remove(dir, { recursive: true });
    failed(await ended(process), 1);
    assert(!await isThere(dir));
  }
  await using root = await tempDir();
  const dir = `${root.path}/drop`;
  const process = start(["watch-prompts", "--dir", dir, "--poll-ms", "20"]);
  await until(() => isThere(`${dir}/prompts`));
  await Deno.remove(dir, { recursive: true });
  failed(await ended(process), 1);
  assert(!await isThere(dir));
});
