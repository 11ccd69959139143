/** Child processes for tests that kill them: `deno run tests/child.ts ROLE ARGS…` does one thing and says so on a line. */
import { denoHost, drop, dropBundle, dropPrompt, drops, replyStream } from "../mod.ts";

/** Starts this file as another process in a role. */
export function child(role: keyof typeof ROLES, ...args: string[]) {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", new URL(import.meta.url).pathname, role, ...args],
    stdout: "piped",
    env: { LC_ALL: "C", LANG: "C" },
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  const end = async () => {
    await reader.cancel();
    return await process.status;
  };
  return {
    pid: process.pid,
    /** The next line of its output. */
    async line(): Promise<string> {
      while (!buffer.includes("\n")) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`child ${role} ended; it said ${JSON.stringify(buffer)}`);
        buffer += value;
      }
      const cut = buffer.indexOf("\n");
      const line = buffer.slice(0, cut);
      buffer = buffer.slice(cut + 1);
      return line;
    },
    /** `kill -9`, and waits until it is gone. */
    async kill() {
      process.kill("SIGKILL");
      await end();
    },
    /** Waits for its end. */
    done: end,
  };
}

const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
const forever = () => new Promise<never>(() => setInterval(() => {}, 1 << 30));

const ROLES = {
  /** Takes one drop and never finishes with it. */
  async drops_hang(dir: string, sessionId: string) {
    for await (const got of drops(dir, { sessionId })) {
      say(String(got.content));
      await forever();
    }
  },
  /** Takes drops and notes each in a file, works on it for a moment, and only then lets it be removed. */
  async drops_log(dir: string, sessionId: string, path: string, workMs: string) {
    const log = await Deno.open(path, { append: true, create: true });
    say("ready");
    for await (const got of drops(dir, { sessionId, pollMs: 50 })) {
      const line = `${got.content} ${got.redelivered ? "redelivered" : "first"}\n`;
      log.writeSync(new TextEncoder().encode(line));
      say("working");
      if (workMs !== "0") await denoHost.clock.sleep(Number(workMs));
    }
  },
  /** Sends many drops. */
  async send(dir: string, prefix: string, count: string) {
    for (let i = 0; i < Number(count); i++) await drop(dir, `${prefix}-${i}`, { durable: false });
  },
  /** Sends drops and prompts without end. */
  async produce(dir: string, sessionId: string, body: string) {
    await drop(`${dir}/${sessionId}`, body);
    say("started");
    while (true) {
      await drop(`${dir}/${sessionId}`, body);
      await dropPrompt(dir, sessionId, { "a.md": body, "b.md": body });
    }
  },
  /** Writes a reply in small pieces. */
  async reply_slowly(dir: string, sessionId: string, id: string, text: string) {
    say("starting");
    await replyStream(dir, sessionId, id, async (w) => {
      for (let i = 0; i < text.length; i += 11) await w.write(text.slice(i, i + 11));
    }, { durable: false });
    await forever();
  },
  /** Begins a reply and never finishes it. */
  async reply_hang(dir: string, sessionId: string, id: string) {
    await replyStream(dir, sessionId, id, async (w) => {
      await w.write("half a");
      say("begun");
      await forever();
    });
  },
  /** Writes the temporary of a drop and never renames it. */
  async write_hang(dir: string) {
    const fs = { ...denoHost.fs };
    fs.rename = () => (say("written"), forever());
    await drop(dir, "never seen", { host: { ...denoHost, fs } });
  },
  /** Leaves a bundle of JSON files. */
  async bundle(dir: string, files: string) {
    say(await dropBundle(dir, JSON.parse(files)));
  },
};

if (import.meta.main) {
  const [role, ...args] = Deno.args;
  const run = ROLES[role as keyof typeof ROLES] as (...args: string[]) => Promise<void>;
  await run(...args);
}
