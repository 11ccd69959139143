/**
 * What is measured in a process of its own, for its CPU time, memory or bytes read: `deno run -A bench/_child.ts ROLE ARGS…`
 * prints one line of JSON. Reads `/proc`, so Linux only.
 */
import process from "node:process";
import { drops, followFile, prompts } from "../mod.ts";

/** What a process used. */
export interface Usage {
  readonly ms: number;
  readonly cpuMs: number;
  /** Bytes that went through `read` calls, of files or anything else. */
  readonly bytesRead: number;
  /** The most memory the process ever held. */
  readonly peakBytes: number;
}

/** Runs a role in another process. */
export async function inChild(role: keyof typeof ROLES, ...args: (string | number)[]): Promise<Usage> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(import.meta.url).pathname, role, ...args.map(String)],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`the measured process failed: ${role} ${args.join(" ")}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

function procNumber(file: string, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(Deno.readTextFileSync(`/proc/self/${file}`))![1]);
}

/** What `work` used. */
async function usage(work: () => Promise<void>): Promise<Usage> {
  const cpu = process.cpuUsage();
  const bytes = procNumber("io", "rchar");
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const bytesRead = procNumber("io", "rchar") - bytes;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000, bytesRead, peakBytes: procNumber("status", "VmHWM") * 1024 };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What `waiting`, which ends with its signal, uses within `windowMs`, once its start has passed. */
async function whileIdle(settleMs: number, windowMs: number, waiting: (signal: AbortSignal) => Promise<void>) {
  const stop = new AbortController();
  const ended = waiting(stop.signal).catch((error) => {
    if (error !== stop.signal.reason) throw error;
  });
  await sleep(settleMs);
  const used = await usage(() => sleep(windowMs));
  stop.abort();
  await ended;
  return used;
}

const sessions = (count: string) => Array.from({ length: Number(count) }, (_, index) => `s${index}`);

const ROLES = {
  async follow(warmUp: string, path: string) {
    const follow = async (path: string) => {
      for await (const _ of followFile(path));
    };
    await follow(warmUp);
    return await usage(() => follow(path));
  },

  /** The least for `follow`: one pass with one buffer. */
  async read(warmUp: string, path: string) {
    const read = async (path: string) => {
      using file = await Deno.open(path);
      const buffer = new Uint8Array(64 * 1024);
      while (await file.read(buffer) !== null);
    };
    await read(warmUp);
    return await usage(() => read(path));
  },

  async drops(root: string, count: string, pollMs: string, events: string, settleMs: string, windowMs: string) {
    return await whileIdle(Number(settleMs), Number(windowMs), async (signal) => {
      const options = { sessionId: sessions(count), pollMs: Number(pollMs), events: events === "true", signal };
      for await (const _ of drops(root, options));
    });
  },

  async prompts(root: string, count: string, pollMs: string, events: string, settleMs: string, windowMs: string) {
    return await whileIdle(Number(settleMs), Number(windowMs), async (signal) => {
      const options = { sessionId: sessions(count), pollMs: Number(pollMs), events: events === "true", signal };
      for await (const _ of prompts(root, options));
    });
  },

  /** The least for the two above: a timer and one look at each directory. */
  async stats(root: string, count: string, pollMs: string, _events: string, settleMs: string, windowMs: string) {
    const dirs = sessions(count).map((id) => `${root}/${id}`);
    for (const dir of dirs) Deno.mkdirSync(dir, { recursive: true });
    return await whileIdle(Number(settleMs), Number(windowMs), async (signal) => {
      while (!signal.aborted) {
        await Promise.all(dirs.map((dir) => Deno.lstat(dir)));
        await sleep(Number(pollMs));
      }
    });
  },
};

if (import.meta.main) {
  const [role, ...args] = Deno.args;
  const run = ROLES[role as keyof typeof ROLES] as (...args: string[]) => Promise<Usage>;
  console.log(JSON.stringify(await run(...args)));
}
