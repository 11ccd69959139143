import assert from "node:assert/strict";
import { type Answer, type FailureReason, mayHaveRun } from "../src/pane/answer.ts";
import type { Multiplexer, PaneRef } from "../src/pane/multiplexer.ts";
import { procTable } from "../src/pane/process_tree.ts";
import { openTmux } from "../src/pane/tmux.ts";
import { rawReader, refOf, TestServer, until } from "./tmux_server.ts";

/** A tmux that misbehaves: every call ends, the failure has a name, and no process is left behind. */

const TIMEOUT_MS = 300;
const REF: PaneRef = { target: "%0", server: { pid: 1, startTime: 1 } };

/** A program in place of tmux, in a folder of its own. */
class FakeTmux implements AsyncDisposable {
  readonly dir = Deno.makeTempDirSync({ prefix: "deaddrop-fake-" });
  readonly program = `${this.dir}/tmux`;

  constructor(script: string) {
    // The folder stands among the arguments of whatever the script starts, so that leftovers can be found.
    Deno.writeTextFileSync(this.program, `#!/bin/bash\nDIR=${this.dir}\n${script}\n`, { mode: 0o755 });
  }

  open(name = "deaddrop-test-fake"): Multiplexer {
    return openTmux({ program: this.program, socket: { name } });
  }

  /** Processes that carry the folder in their command line. */
  async leftovers(): Promise<string[]> {
    const lines: string[] = [];
    for (const { pid } of await procTable.list()) {
      const line = (await procTable.argv(pid)).join(" ");
      if (line.includes(this.dir)) lines.push(line);
    }
    return lines;
  }

  /** Waits until a killed process has left the table too. */
  async noneLeft(): Promise<void> {
    await until(`the end of all processes of ${this.dir}`, async () => (await this.leftovers()).length === 0 || null);
  }

  async [Symbol.asyncDispose]() {
    await Deno.remove(this.dir, { recursive: true });
  }
}

const faults: { what: string; script: string; reason: FailureReason; message: RegExp }[] = [
  {
    what: "hangs",
    script: `bash -c 'sleep 1000; : '$DIR & bash -c 'sleep 1000; : '$DIR`,
    reason: "unknown",
    message: /did not answer .* within 300 ms/,
  },
  {
    what: "ignores the polite signals and hangs",
    script: `trap '' TERM INT HUP; bash -c 'trap "" TERM HUP; while :; do sleep 1; done' $DIR`,
    reason: "unknown",
    message: /within 300 ms/,
  },
  {
    what: "prints to its error stream and ends with code 0",
    script: `echo "lost the plot" >&2`,
    reason: "garbled",
    message: /"lost the plot" and yet with code 0/,
  },
  {
    what: "rejects a flag (ENTER-03)",
    script: `echo "command send-keys: unknown flag -V" >&2; exit 1`,
    reason: "refused",
    message: /unknown flag -V/,
  },
  { what: "answers garbage", script: `echo "|||"; head -c 4096 /dev/urandom`, reason: "garbled", message: /./ },
  { what: "answers nothing", script: `exit 0`, reason: "garbled", message: /./ },
  {
    what: "answers without end",
    script: `exec tr '\\0' x </dev/zero`,
    reason: "garbled",
    message: /more than 16777216 bytes/,
  },
  { what: "dies half-way by a signal", script: `echo "1|"; kill -SEGV $$`, reason: "unknown", message: /SIGSEGV/ },
  { what: "ends half-way without a word", script: `echo "1|"; exit 3`, reason: "unknown", message: /code 3/ },
  {
    what: "leaves a silent child behind",
    script: `bash -c 'sleep 1000; : '$DIR <&- >&- 2>&- & exit 0`,
    reason: "garbled",
    message: /./,
  },
  {
    what: "leaves a child behind that holds its output",
    script: `bash -c 'sleep 1000; : '$DIR & exit 0`,
    reason: "unknown",
    message: /within 300 ms/,
  },
];

for (const { what, script, reason, message } of faults) {
  Deno.test(`tmux that ${what}: each call ends as ${reason}, and nothing is left (HANG-01, HANG-02)`, async () => {
    await using fake = new FakeTmux(script);
    await using tmux = fake.open();
    const options = { timeoutMs: reason === "unknown" ? TIMEOUT_MS : 10_000 };
    const outcomes: Answer<unknown>[] = [
      await tmux.list(options),
      ...await tmux.look([REF], options),
      await tmux.paste(REF, "x".repeat(200_000), options),
      await tmux.press(REF, "Enter", options),
      await tmux.stamp(REF, "lab", options),
    ];
    for (const outcome of outcomes) {
      assert.ok(!outcome.ok);
      assert.equal(outcome.reason, reason, outcome.message);
      assert.match(outcome.message, message);
      assert.equal(mayHaveRun(outcome), reason !== "refused");
    }
    await fake.noneLeft();
  });
}

Deno.test("tmux: every process is told to speak UTF-8 and never to start a server (CHARS-04, PANE-09)", async () => {
  await using server = new TestServer();
  const pane = await server.session("lab", "exec cat");
  await using fake = new FakeTmux(`echo "$LC_ALL $*" >>$DIR/calls; exec tmux "$@"`);
  {
    await using tmux = fake.open(server.name);
    const ref = await refOf(tmux, pane);
    await tmux.paste(ref, "x");
    await tmux.press(ref, "Enter");
  }
  const calls = (await Deno.readTextFile(`${fake.dir}/calls`)).trimEnd().split("\n");
  assert.ok(
    calls.some((line) => line.includes("-C attach-session")) && calls.some((line) => line.includes("load-buffer")),
  );
  for (const line of calls) assert.ok(line.startsWith(`C.UTF-8 -u -N -L ${server.name} `), line);
  assert.doesNotMatch(calls.join("\n"), /run-shell|if-shell|pipe-pane|new-session|start-server|-- x/);
});

Deno.test("tmux that is not there: a named failure, and nothing was done", async () => {
  await using tmux = openTmux({ program: "/nonexistent/tmux" });
  for (const outcome of [await tmux.list(), await tmux.press(REF, "Enter")]) {
    assert.ok(!outcome.ok);
    assert.equal(outcome.reason, "no-tmux");
    assert.equal(mayHaveRun(outcome), false);
  }
});

Deno.test("tmux: a signal ends a hanging call with its own reason, and nothing is left", async () => {
  await using fake = new FakeTmux(`bash -c 'sleep 1000; : '$DIR & bash -c 'sleep 1000; : '$DIR`);
  {
    await using tmux = fake.open();
    const stop = new AbortController();
    const reason = new Error("enough");
    const call = tmux.list({ signal: stop.signal });
    await until("the call to hang", async () => (await fake.leftovers()).length > 1 || null);
    stop.abort(reason);
    await assert.rejects(call, (error) => error === reason);
  }
  await fake.noneLeft();
});

/** Ways in which only the control client misbehaves: `$@` is passed to a real tmux otherwise. */
const controlFaults: Record<string, string> = {
  "hangs": `exec bash -c 'sleep 1000; : '$DIR`,
  "answers garbage": `while read -r line; do echo "%end 1 1 1"; done; : $DIR`,
  "forges the end of a reply":
    `while read -r line; do printf '%%begin 1 1 1\\nx\\n%%end 1 1 1\\nrest\\n%%end 1 1 1\\n'; done`,
  "answers without end": `exec tr '\\0' x </dev/zero`,
  "is not understood": `echo "unknown flag -C" >&2; exit 1`,
  "answers once and dies": `read -r line; echo "$line" >$DIR/asked; printf '%%begin 1 1 1\\n'; kill -KILL $$`,
};

for (const [what, script] of Object.entries(controlFaults)) {
  Deno.test(`control client that ${what}: processes answer instead, keys arrive once, and nothing is left`, async () => {
    await using server = new TestServer();
    const file = `${server.dir}/bytes`;
    const pane = await server.session("lab", rawReader(file, false));
    await until("the reader", () => Deno.stat(file).catch(() => null));
    await using fake = new FakeTmux(`case " $* " in *" -C "*) ${script};; esac\nexec tmux "$@"`);
    {
      await using tmux = fake.open(server.name);
      const ref = await refOf(tmux, pane);
      assert.deepEqual(await tmux.paste(ref, "text"), { ok: true, value: null });
      assert.deepEqual(await tmux.press(ref, "Enter"), { ok: true, value: null });
    }
    assert.equal(
      await until("the bytes", async () => {
        const bytes = await Deno.readTextFile(file);
        return bytes.length >= 5 ? bytes : null;
      }),
      "text\r",
    );
    await fake.noneLeft();
    assert.equal(await server.tmux("list-buffers"), "");
  });
}

Deno.test("control client that dies under a key: unknown, and the key is not sent again", async () => {
  await using server = new TestServer();
  const file = `${server.dir}/bytes`;
  const pane = await server.session("lab", rawReader(file, false));
  await until("the reader", () => Deno.stat(file).catch(() => null));
  // Passes everything on to a real client; at a key it presses it, dies, and answers nothing.
  const relay = [
    `mkfifo $DIR/in; tmux "$@" <$DIR/in & exec 9>$DIR/in`,
    `while read -r line; do`,
    `  case "$line" in *send-keys*) tmux -L ${server.name} send-keys -t ${pane} Enter; kill -KILL 0;; esac`,
    `  printf '%s\\n' "$line" >&9`,
    `done`,
  ].join("\n");
  await using fake = new FakeTmux(`case " $* " in *" -C "*) ${relay};; esac\nexec tmux "$@"`);
  await using tmux = fake.open(server.name);
  const ref = await refOf(tmux, pane);
  const pressed = await tmux.press(ref, "Enter");
  assert.ok(!pressed.ok);
  assert.equal(pressed.reason, "unknown");
  await until("the key that did arrive", async () => (await Deno.readTextFile(file)) || null);
  assert.ok((await tmux.list()).ok);
  assert.equal(await Deno.readTextFile(file), "\r");
});
