import assert from "node:assert/strict";
import { mayHaveRun } from "../src/pane/answer.ts";
import type { Multiplexer, PaneRef } from "../src/pane/multiplexer.ts";
import { paneFacts } from "../src/pane/pane_facts.ts";
import { processTable } from "../src/pane/process_tree.ts";
import { type RecogniseAgent, resolveSessionPane } from "../src/pane/target.ts";
import { rawReader, refOf, TestServer, until } from "./tmux_server.ts";

/** The room that talks to tmux, against a real one. */

const both = [{ way: "control client", control: true }, { way: "process per call", control: false }] as const;

/** An agent of these tests is whatever has this word among its arguments and the terminal. */
const recognise: RecogniseAgent = (processes) =>
  processes.some((each) => each.foreground === true && each.argv.includes("test-agent")) ? "test" : null;
const AGENT = "exec bash --norc -c 'while read -r line; do :; done' test-agent";

function resolve(name: string, multiplexer: Multiplexer) {
  return resolveSessionPane(name, { multiplexer, processes: processTable(), recognise });
}

async function fileOf(path: string, bytes: number): Promise<Uint8Array> {
  return await until(`${bytes} bytes in ${path}`, async () => {
    const content = await Deno.readFile(path);
    return content.length >= bytes ? content : null;
  });
}

async function screenOf(multiplexer: Multiplexer, pane: PaneRef): Promise<string> {
  const [look] = await multiplexer.look([pane]);
  assert.ok(look.ok, JSON.stringify(look));
  return look.value.ansi;
}

Deno.test("target: a name that only begins a session's name is no session (PANE-01, PANE-02)", async () => {
  await using server = new TestServer();
  await server.session("lab-2", AGENT);
  await using tmux = server.open();
  const resolved = await resolve("lab", tmux);
  assert.ok(!resolved.ok);
  assert.equal(resolved.reason, "no-session");
  assert.match(resolved.message, /"lab-2"/);
});

Deno.test("target: an agent is found by its processes; a shell, another program and nobody are their own answers (SHELL-01)", async () => {
  await using server = new TestServer();
  const pane = await server.session("cell", AGENT);
  await server.session("shell");
  await server.session("other", "exec sleep 1000");
  await server.session("dead", "exec sleep 1000");
  await server.tmux("set-option", "-g", "remain-on-exit", "on");
  await server.tmux("respawn-pane", "-k", "-t", "dead:", "true");
  await using tmux = server.open();
  await until("the agent", async () => (await resolve("cell", tmux)).ok || null);
  const cell = await resolve("cell", tmux);
  assert.ok(cell.ok);
  assert.deepEqual([cell.pane.ref.target, cell.agent], [pane, "test"]);
  const reasonOf = async (name: string) => {
    const resolved = await resolve(name, tmux);
    return resolved.ok ? "found" : resolved.reason;
  };
  await until("the shell", async () => await reasonOf("shell") === "shell" || null);
  assert.equal(await reasonOf("other"), "other-program");
  await until("the dead pane", async () => await reasonOf("dead") === "no-pane" || null);
});

Deno.test("target: an agent that was stopped by Ctrl-Z is under the pane but not in it", async () => {
  await using server = new TestServer();
  const pane = await server.session("cell", "exec bash --norc -i");
  await using tmux = server.open();
  await server.tmux("send-keys", "-t", pane, "bash --norc -c 'while sleep 1; do :; done' test-agent", "Enter");
  await until("the agent", async () => (await resolve("cell", tmux)).ok || null);
  await server.tmux("send-keys", "-t", pane, "C-z");
  await until("the shell", async () => {
    const resolved = await resolve("cell", tmux);
    return !resolved.ok && resolved.reason === "shell" ? true : null;
  });
});

Deno.test("target: several agents are refused and named; a stamp decides (PANE-12)", async () => {
  await using server = new TestServer();
  await server.session("lab", AGENT);
  const second = await server.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", "lab:", AGENT);
  await using tmux = server.open();
  const several = await until("both agents", async () => {
    const resolved = await resolve("lab", tmux);
    return !resolved.ok && resolved.reason === "several" ? resolved : null;
  });
  assert.equal(several.candidates.length, 2);
  assert.match(several.message, /lab:0\.0 \(%0, bash\), lab:0\.1 \(%1, bash\)/);
  assert.deepEqual(await tmux.stamp(await refOf(tmux, second), "lab"), { ok: true, value: null });
  await server.tmux("rename-window", "-t", "lab:", "else");
  await server.tmux("rename-session", "-t", "lab", "renamed");
  const stamped = await resolve("lab", tmux);
  assert.ok(stamped.ok);
  assert.equal(stamped.pane.ref.target, second);
  // The session's own name means only the pane that is not another cell's.
  const other = await resolve("renamed", tmux);
  assert.ok(other.ok);
  assert.notEqual(other.pane.ref.target, second);
});

Deno.test("target: each spelling of a pane leads to it, and none to a window of that name (PANE-04, PANE-13)", async () => {
  await using server = new TestServer();
  const pane = await server.session("lab", AGENT);
  await server.session("other", "exec sleep 1000", "-n", "lab");
  await using tmux = server.open();
  for (const name of ["lab", "lab:0", "lab:0.0", pane]) {
    const found = await until("the agent", async () => {
      const resolved = await resolve(name, tmux);
      return resolved.ok ? resolved : null;
    });
    assert.equal(found.pane.ref.target, pane, name);
  }
});

for (const { way, control } of both) {
  Deno.test(`tmux, ${way}: names, titles and folders of any characters are data, whatever the locale (CHARS-04, CHARS-07)`, async () => {
    await using server = new TestServer();
    const folder = `${server.dir}/a $(touch ran) 'b'\n%end 1 1 1`;
    await Deno.mkdir(folder);
    const title = "'; touch ran; ' #(touch ran) #{pane_id} é";
    const command = `printf '\\033]2;%s\\007' "$TITLE"; exec sleep 1000`;
    const pane = await server.session("my lab 🧪\\;", command, "-c", folder, "-e", `TITLE=${title}`);
    await server.tmux("rename-window", "-t", pane, "a|b é");
    await using tmux = server.open({ control, env: { PATH: Deno.env.get("PATH") } });
    const found = await until("the title", async () => {
      const list = await tmux.list();
      assert.ok(list.ok, JSON.stringify(list));
      return list.value.panes.find((each) => each.title === title && each.command === "sleep") ?? null;
    });
    assert.equal(found.places[0].session, "my lab 🧪;");
    assert.equal(found.path, folder);
    assert.equal(found.places[0].window, "a|b é");
    const [look] = await tmux.look([found.ref]);
    assert.ok(look.ok);
    assert.equal(look.value.facts.title, title);
    for (const dir of [server.dir, folder]) {
      assert.deepEqual([...Deno.readDirSync(dir)].map((entry) => entry.name).filter((name) => name === "ran"), []);
    }
  });

  Deno.test(`tmux, ${way}: a screen comes back with its glyphs and styles, and lines that look like a reply (CHARS-05)`, async () => {
    await using server = new TestServer();
    const lines = String.raw`\033[2m✻ Thinking…\033[0m é 漢字 👩‍👩‍👧\r\n%%end 1 2 1\r\n%%exit\r\n%%begin 1 2 1\r\n`;
    const pane = await server.session("lab", `printf '${lines}done'; exec sleep 1000`);
    await using tmux = server.open({ control, env: { PATH: Deno.env.get("PATH"), LANG: "C" } });
    const ref = await refOf(tmux, pane);
    const ansi = await until("the screen", async () => {
      const screen = await screenOf(tmux, ref);
      return screen.includes("done") ? screen : null;
    });
    assert.ok(ansi.startsWith("\x1b[2m✻ Thinking…\x1b[0m"), ansi);
    assert.match(ansi, / é 漢字 👩‍👩‍👧\n/u);
    assert.match(ansi, /\n%end 1 2 1\n%exit\n%begin 1 2 1\ndone\n/);
  });

  Deno.test(`tmux, ${way}: pasted text arrives byte for byte and bracketed once (CHARS-01, CHARS-02, CHARS-03, LONG-03, LONG-06)`, async () => {
    await using server = new TestServer();
    await using tmux = server.open({ control });
    const texts = [
      "a;",
      ";",
      "a\\;",
      "a;b;",
      "-x",
      "--help",
      "-----BEGIN",
      "Enter Up C-c Space",
      "#{pane_id} $HOME `x` '\"\\",
    ];
    texts.push("é 漢字 👩‍👩‍👧 שלום", "one\ntwo\n\tthree\n", `${"x".repeat(400)}-y`, "f/:t", "x".repeat(100_000));
    texts.push("0123456789abcde\n".repeat(65_536));
    const file = `${server.dir}/bytes`;
    const pane = await server.session("raw", rawReader(file, true));
    const ref = await refOf(tmux, pane);
    await until("the reader", () => Deno.stat(file).catch(() => null));
    let expected = "";
    for (const text of texts) {
      assert.deepEqual(await tmux.paste(ref, text), { ok: true, value: null });
      expected += `\x1b[200~${text}\x1b[201~`;
    }
    assert.deepEqual(await tmux.press(ref, "Enter"), { ok: true, value: null });
    const bytes = new TextEncoder().encode(`${expected}\r`);
    const got = await fileOf(file, bytes.length);
    assert.ok(new TextDecoder().decode(got) === `${expected}\r`);
    assert.equal(await server.tmux("list-buffers"), "");
  });

  Deno.test(`tmux, ${way}: a program that asked for no brackets gets none (SHELL-03)`, async () => {
    await using server = new TestServer();
    await using tmux = server.open({ control });
    const file = `${server.dir}/bytes`;
    const pane = await server.session("plain", rawReader(file, false));
    await until("the reader", () => Deno.stat(file).catch(() => null));
    await tmux.paste(await refOf(tmux, pane), "plain");
    assert.equal(new TextDecoder().decode(await fileOf(file, 5)), "plain");
  });

  Deno.test(`tmux, ${way}: after a restart of the server a remembered pane is gone, and its heir is not touched (PANE-05)`, async () => {
    await using server = new TestServer();
    await using tmux = server.open({ control });
    const old = await refOf(tmux, await server.session("lab", "exec sleep 1000"));
    await server.tmux("kill-server");
    assert.equal(
      await until("its end", async () => {
        const list = await tmux.list();
        return list.ok ? null : list.reason;
      }),
      "no-server",
    );
    const file = `${server.dir}/bytes`;
    assert.equal(await server.session("stranger", rawReader(file, false)), old.target);
    await until("the reader", () => Deno.stat(file).catch(() => null));
    for (const outcome of [await tmux.paste(old, "x"), await tmux.press(old, "Enter"), ...await tmux.look([old])]) {
      assert.ok(!outcome.ok);
      assert.equal(outcome.reason, "gone");
      assert.equal(mayHaveRun(outcome), false);
    }
    const heir = await refOf(tmux, old.target);
    await tmux.paste(heir, "only this");
    assert.equal(new TextDecoder().decode(await fileOf(file, 9)), "only this");
    assert.equal(await server.tmux("list-buffers"), "");
  });

  Deno.test(`tmux, ${way}: a pane that was killed is gone, and the others still answer (PANE-11)`, async () => {
    await using server = new TestServer();
    const panes = [await server.session("a", "exec sleep 1000"), await server.session("b", "exec sleep 1000")];
    await using tmux = server.open({ control });
    const [first, second] = [await refOf(tmux, panes[0]), await refOf(tmux, panes[1])];
    await server.tmux("kill-pane", "-t", panes[0]);
    const looks = await tmux.look([first, second, first]);
    assert.deepEqual(looks.map((look) => look.ok ? "seen" : look.reason), ["gone", "seen", "gone"]);
    const pasted = await tmux.paste(first, "x");
    assert.equal(pasted.ok ? "pasted" : pasted.reason, "gone");
    assert.equal(await server.tmux("list-buffers"), "");
  });

  Deno.test(`tmux, ${way}: a pane whose program never reads does not hold a call (HANG-01)`, async () => {
    await using server = new TestServer();
    const pane = await server.session("deaf", "exec sleep 1000");
    await using tmux = server.open({ control });
    const ref = await refOf(tmux, pane);
    assert.deepEqual(await tmux.paste(ref, "x".repeat(200_000)), { ok: true, value: null });
    assert.ok((await tmux.list()).ok);
  });

  Deno.test(`tmux, ${way}: a server that stands still gives unknown within the deadline, and answers again later (HANG-01, HANG-02)`, async () => {
    await using server = new TestServer();
    const pane = await server.session("lab", "exec sleep 1000");
    await using tmux = server.open({ control });
    const ref = await refOf(tmux, pane);
    Deno.kill(ref.server.pid, "SIGSTOP");
    try {
      for (const outcome of [await tmux.press(ref, "Enter", { timeoutMs: 300 }), await tmux.list({ timeoutMs: 300 })]) {
        assert.ok(!outcome.ok);
        assert.equal(outcome.reason, "unknown");
        assert.ok(mayHaveRun(outcome));
      }
    } finally {
      Deno.kill(ref.server.pid, "SIGCONT");
    }
    assert.ok((await tmux.list()).ok);
  });

  Deno.test(`tmux, ${way}: facts say size, cursor, modes and title, and belong to the screen beside them`, async () => {
    await using server = new TestServer();
    const draw = String.raw`printf "\033[?1049h\033[?1000h\033[?25l"; i=0; ` +
      String.raw`while :; do i=$((i+1)); printf "\033]2;n%d.\007\033[Hn%d.\033[5;9H" $i $i; sleep 0.002; done`;
    const pane = await server.session("tui", `exec bash --norc -c '${draw}'`);
    await using tmux = server.open({ control });
    const ref = await refOf(tmux, pane);
    await until("the first frame", async () => (await screenOf(tmux, ref)).includes("n1") || null);
    for (let round = 0; round < 20; round++) {
      const [{ ok, ...seen }] = await paneFacts(tmux, processTable(), [ref]);
      assert.ok(ok && "value" in seen, JSON.stringify(seen));
      const { facts, ansi } = seen.value;
      assert.match(ansi.split("\n")[0], new RegExp(`n${facts.title.slice(1, -1)}\\.`));
      assert.deepEqual([facts.columns, facts.rows, facts.alternateScreen, facts.mouse], [80, 24, true, true]);
      assert.equal(facts.cursor.visible, false);
      assert.equal(facts.processes[0].pid, seen.value.pid);
    }
    await server.tmux("copy-mode", "-t", pane);
    const [scrolled] = await tmux.look([ref]);
    assert.equal(scrolled.ok && scrolled.value.facts.mode, "copy-mode");
  });

  Deno.test(`tmux, ${way}: a person's last key is seen where their terminal shows the pane (HUMAN-04)`, async () => {
    await using server = new TestServer();
    await using outer = new TestServer();
    const watched = await server.session("lab", "exec cat");
    const other = await server.session("other", "exec cat");
    await using tmux = server.open({ control });
    const [ref, elsewhere] = [await refOf(tmux, watched), await refOf(tmux, other)];
    const person = await outer.session("person", `exec env -u TMUX tmux -u -L ${server.name} attach -t lab:`);
    const lastKey = async () => {
      const [look, unwatched] = await tmux.look([ref, elsewhere]);
      assert.ok(look.ok && unwatched.ok);
      assert.equal(unwatched.value.lastKeyAtMs, null);
      return look.value.lastKeyAtMs;
    };
    const attached = await until("the person", lastKey);
    await until("a later key", async () => {
      await outer.tmux("send-keys", "-t", person, "x");
      const at = await lastKey();
      return at !== null && at > attached ? at : null;
    });
    const list = await tmux.list();
    assert.equal(list.ok && list.value.clients.length, 1);
  });
}

Deno.test("tmux: where no server runs, that is the answer, with the socket, and none is started (PANE-03, PANE-07, PANE-09)", async () => {
  await using server = new TestServer();
  await using tmux = server.open();
  const resolved = await resolve("lab", tmux);
  assert.ok(!resolved.ok);
  assert.equal(resolved.reason, "no-server");
  assert.match(resolved.message, new RegExp(`/tmux-${Deno.uid()}/${server.name}\\b`));
  assert.equal((await tmux.press({ target: "%0", server: { pid: 1, startTime: 1 } }, "Enter")).ok, false);
  await assert.rejects(Deno.lstat(tmux.address), Deno.errors.NotFound);
});

Deno.test("tmux: a socket on a network file system is refused and named (PANE-08)", async () => {
  await using server = new TestServer();
  await server.session("lab");
  const mountsPath = `${server.dir}/mounts`;
  await Deno.writeTextFile(mountsPath, "/dev/vda / ext4 rw 0 0\nhost:/share /tmp nfs4 rw 0 0\n");
  await using tmux = server.open({ mountsPath });
  const list = await tmux.list();
  assert.ok(!list.ok);
  assert.equal(list.reason, "network-socket");
  assert.match(list.message, /TMUX_TMPDIR/);
});

Deno.test("tmux: text cannot reach the key path (CHARS-03)", async () => {
  await using server = new TestServer();
  await using tmux = server.open();
  const ref = { target: "%0", server: { pid: 1, startTime: 1 } };
  // @ts-expect-error only the keys of a closed list are accepted
  await assert.rejects(tmux.press(ref, "y"), TypeError);
});

Deno.test("control client: changes nothing for the people on the server", async () => {
  await using server = new TestServer();
  await using outer = new TestServer();
  await server.session("lab", "exec cat");
  await server.session("busy", "exec cat");
  for (const [name, size] of [["wide", ["-x", "120", "-y", "40"]], ["small", ["-x", "70", "-y", "20"]]] as const) {
    await outer.session(name, `exec env -u TMUX tmux -u -L ${server.name} attach -t lab:`);
    await outer.tmux("resize-window", "-t", `${name}:`, ...size);
  }
  const look = async () => ({
    windows: await server.tmux(
      "list-windows",
      "-a",
      "-F",
      "#{window_id} #{window_width}x#{window_height} #{window_flags}",
    ),
    sessions: await server.tmux("list-sessions", "-F", "#{session_id} #{session_name} #{session_alerts}"),
    environment: await server.tmux("show-environment", "-t", "lab"),
    clients: (await server.tmux("list-clients", "-F", "#{client_control_mode} #{client_name} #{client_activity}"))
      .split("\n").filter((line) => line.startsWith("0")).join("\n"),
  });
  const settled = async () => {
    let before = await look();
    await until("the sizes to settle", async () => {
      const now = await look();
      const same = JSON.stringify(now) === JSON.stringify(before) && now.clients.split("\n").length === 2;
      before = now;
      return same || null;
    });
    return before;
  };
  await settled();
  await server.tmux("set-environment", "-t", "lab", "SSH_AUTH_SOCK", "kept");
  const before = await settled();
  {
    await using tmux = server.open();
    await tmux.list();
    const ours = async () =>
      (await server.tmux("list-clients", "-F", "#{client_control_mode} #{client_flags} #{client_written}"))
        .split("\n").find((line) => line.startsWith("1")) ?? "";
    assert.match(await ours(), /ignore-size,no-output/);
    const written = Number((await ours()).split(" ")[2]);
    await server.tmux("send-keys", "-t", "lab:", "-l", "x".repeat(10_000));
    await until(
      "the echo",
      async () => (await server.tmux("capture-pane", "-p", "-t", "lab:")).includes("xxx") || null,
    );
    assert.ok(Number((await ours()).split(" ")[2]) - written < 1_000, await ours());
    assert.deepEqual(await look(), before);
  }
  assert.deepEqual(await settled(), before);
  assert.ok(!(await server.tmux("list-clients", "-F", "#{client_flags}")).includes("control-mode"));
});

Deno.test("control client: stays away where attaching would leave a trace, and the calls work without it", async () => {
  await using outer = new TestServer();
  const traces: [string, ...string[]][] = [
    ["set-option", "-t", "lab", "destroy-unattached", "on"],
    ["set-hook", "-g", "client-attached", "display-message hello"],
  ];
  for (const [index, trace] of traces.entries()) {
    await using server = new TestServer();
    const pane = await server.session("lab", "exec cat");
    await outer.session(`person${index}`, `exec env -u TMUX tmux -u -L ${server.name} attach -t lab:`);
    await until("the person", async () => (await server.tmux("list-clients")) || null);
    await server.tmux(...trace);
    await using tmux = server.open();
    const ref = await refOf(tmux, pane);
    assert.deepEqual(await tmux.press(ref, "Enter"), { ok: true, value: null });
    assert.equal((await server.tmux("list-clients")).split("\n").length, 1);
  }
});

Deno.test("control client: comes back when its session ends or a person detaches it", async () => {
  await using server = new TestServer();
  await server.session("first", "exec cat");
  const pane = await server.session("lab", "exec cat");
  await using tmux = server.open();
  const ref = await refOf(tmux, pane);
  const session = () => server.tmux("list-clients", "-F", "#{session_name}");
  assert.equal(await session(), "first");
  await server.tmux("kill-session", "-t", "first");
  assert.ok((await tmux.look([ref]))[0].ok); // at the latest this one notices, and a process answers
  assert.ok((await tmux.look([ref]))[0].ok);
  assert.equal(await session(), "lab");
  await server.tmux("detach-client", "-s", "lab");
  assert.deepEqual(await tmux.press(ref, "Enter"), { ok: true, value: null });
  assert.ok((await tmux.look([ref]))[0].ok);
  assert.equal(await session(), "lab");
});

Deno.test("control client: a signal ends the wait with its own reason", async () => {
  await using server = new TestServer();
  await server.session("lab", "exec cat");
  await using tmux = server.open();
  await tmux.list();
  const reason = new Error("enough");
  await assert.rejects(tmux.list({ signal: AbortSignal.abort(reason) }), (error) => error === reason);
  assert.ok((await tmux.list()).ok);
});
