/**
 * A small terminal agent that does what a script says: it draws the frame of Claude Code 2.1.197, reads its terminal raw with
 * bracketed paste, and logs every byte it takes. It runs in a real tmux pane: `claude run -A tests/scripted_agent.ts DIR`.
 *
 * In DIR it follows `script.jsonl` (a {@linkcode Step} on each line; more may be appended at any time), writes `log.jsonl`
 * (a {@linkcode LogEntry} on each line), and its session files, as if DIR were its home.
 *
 * A reader of process trees takes it for Claude Code when Deno is started through a link named `claude`: the kernel names a
 * process after the name it was started by, and its first argument is that path.
 */
import { Agent } from "./scripted_agent/agent.ts";
import type { Happening, LogEntry, Step } from "./scripted_agent/script.ts";
import { draw } from "./scripted_agent/view.ts";

/** A spinner's frame. */
const FRAME_MS = 120;

const encoder = new TextEncoder();

function writeAll(text: string) {
  const bytes = encoder.encode(text);
  for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
}

/** Runs until it is told to end. */
export async function run(dir: string) {
  const log = await Deno.open(`${dir}/log.jsonl`, { append: true, create: true });
  const session = `${dir}/.claude/projects/${Deno.cwd().replace(/[^a-zA-Z0-9]/g, "-")}`;
  const sessionId = crypto.randomUUID();
  let shown = "";
  let redrawing: ReturnType<typeof setTimeout> | undefined;

  const write = (happening: Happening) => {
    const entry: LogEntry = { atMs: Date.now(), ...happening };
    log.writeSync(encoder.encode(`${JSON.stringify(entry)}\n`));
  };
  const redraw = () => {
    redrawing = undefined;
    const { columns, rows } = Deno.consoleSize();
    const view = agent.view(columns, rows, Deno.cwd());
    const { lines, cursor, title } = draw(view);
    // Each row is cleared before it is written: behind its last column the cursor stands on it.
    const text = `\x1b[H${lines.map((line) => `\x1b[2K${line}`).join("\r\n")}\x1b[J` +
      `\x1b[${cursor.y + 1};${cursor.x + 1}H\x1b]0;${title}\x07`;
    if (text !== shown) writeAll(shown = text);
    if (view.busyMs !== null) redrawing = setTimeout(redraw, FRAME_MS);
  };
  const agent = new Agent({
    now: Date.now,
    after: (ms, then) => void setTimeout(then, ms),
    log: write,
    changed: () => {
      if (agent.behaviour.redrawMs > 0) return void (redrawing ??= setTimeout(redraw, agent.behaviour.redrawMs));
      clearTimeout(redrawing);
      redraw();
    },
    receipt: (content) => {
      Deno.mkdirSync(session, { recursive: true });
      const message = { role: "user", content };
      const line = { type: "user", message, uuid: crypto.randomUUID(), sessionId, cwd: Deno.cwd() };
      Deno.writeTextFileSync(`${session}/${sessionId}.jsonl`, `${JSON.stringify(line)}\n`, { append: true });
    },
    end: (how) => {
      write({ event: "exit" });
      if (how === "crash") Deno.kill(Deno.pid, "SIGKILL");
      // Its last screen stays above the shell's prompt.
      writeAll(`\x1b[${Deno.consoleSize().rows}H\r\n\x1b]0;\x07\x1b[?2004l\x1b[?7h\x1b[?25h`);
      Deno.stdin.setRaw(false);
      Deno.exit(0);
    },
  });

  Deno.stdin.setRaw(true);
  // Bracketed paste on; no wrapping and no visible cursor.
  writeAll("\x1b[?2004h\x1b[?7l\x1b[?25l\x1b[2J");
  Deno.addSignalListener("SIGWINCH", redraw);
  const steps = follow(`${dir}/script.jsonl`);
  const first = await steps.next();
  if (!first.done) first.value.forEach((step) => agent.tell(step));
  redraw();
  write({ event: "ready", pid: Deno.pid });
  (async () => {
    for await (const more of steps) more.forEach((step) => agent.tell(step));
  })();
  for (;;) {
    const buffer = new Uint8Array(agent.behaviour.readBytes);
    const length = await Deno.stdin.read(buffer);
    if (length === null) return;
    agent.read(buffer.subarray(0, length));
  }
}

/** The whole lines of a file as steps, then those that are appended. */
async function* follow(path: string): AsyncGenerator<Step[], void> {
  using watcher = Deno.watchFs(path);
  let read = 0;
  const next = () => {
    const bytes = Deno.readFileSync(path).subarray(read);
    const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    read += whole.length;
    return new TextDecoder().decode(whole).split("\n").filter((line) => line !== "").map((line): Step =>
      JSON.parse(line)
    );
  };
  yield next();
  for await (const _change of watcher) yield next();
}

if (import.meta.main) await run(Deno.args[0]);
