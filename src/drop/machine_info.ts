import { writeAtomic } from "./atomic.ts";
import { ensureDir } from "./atomic.ts";
import { denoHost, granted, type HostOption } from "./host.ts";
import { MACHINE_INFO } from "./names.ts";
import { type Dir, join, pathOf } from "./paths.ts";
import { readRegular } from "./read.ts";

/** What a machine is, for somebody who decides which one to ask. Every field is text as shown; `unknown` where it is. */
export interface MachineInfo {
  /** Host name. */
  readonly hostname: string;
  /** Name and version of the system, such as `Debian GNU/Linux 12 (bookworm)`. */
  readonly os: string;
  /** Number of logical processors. */
  readonly cpus: string;
  /** Memory with one decimal, such as `23.5 GB`. */
  readonly ram: string;
  /** Names of NVIDIA graphics processors, joined by `; `, or `none detected`. */
  readonly gpu: string;
  /** Their memory in the same order, or `none detected`. */
  readonly vram: string;
}

const UNKNOWN = "unknown";
const NONE = "none detected";
const TITLE = "# Machine Info";

/** `nvidia-smi` hangs on some broken drivers; after this it counts as absent. */
const GPU_TIMEOUT_MS = 5_000;
const MAX_NOTE_BYTES = 64 * 1024;

/** Host name, or `unknown` without `--allow-sys=hostname`. */
export function hostName(): string {
  return granted({ name: "sys", kind: "hostname" }) ? Deno.hostname() : UNKNOWN;
}

async function osName(): Promise<string> {
  if (Deno.build.os === "linux" && granted({ name: "read", path: "/etc/os-release" })) {
    const text = await Deno.readTextFile("/etc/os-release").catch(() => "");
    const pretty = /^PRETTY_NAME="?(.*?)"?$/m.exec(text)?.[1];
    if (pretty) return pretty;
  }
  if (Deno.build.os === "darwin" && granted({ name: "run", command: "sw_vers" })) {
    const version = await output("sw_vers", ["-productVersion"]);
    if (version) return `macOS ${version.trim()}`;
  }
  return granted({ name: "sys", kind: "osRelease" }) ? `${Deno.build.os} ${Deno.osRelease()}` : Deno.build.os;
}

async function output(command: string, args: string[]): Promise<string> {
  if (!granted({ name: "run", command })) return "";
  try {
    const signal = AbortSignal.timeout(GPU_TIMEOUT_MS);
    const { success, stdout } = await new Deno.Command(command, { args, signal, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout) : "";
  } catch {
    return ""; // not installed
  }
}

/**
 * Describes this machine.
 *
 * Works without any permission and then says `unknown`; `--allow-sys=hostname,systemMemoryInfo,cpus`,
 * `--allow-read=/etc/os-release` and `--allow-run=nvidia-smi` let it see more. It never asks for one.
 *
 * @example
 * ```ts
 * import { machineInfo } from "@deaddrop/deaddrop";
 *
 * console.log((await machineInfo()).ram); // "23.5 GB", or "unknown"
 * ```
 */
export async function machineInfo(): Promise<MachineInfo> {
  const memory = granted({ name: "sys", kind: "systemMemoryInfo" }) ? Deno.systemMemoryInfo().total : undefined;
  const query = ["--query-gpu=name,memory.total", "--format=csv,noheader,nounits"];
  const gpus = (await output("nvidia-smi", query)).split("\n").filter((line) => line.includes(","));
  const names = gpus.map((line) => line.slice(0, line.lastIndexOf(",")).trim());
  const sizes = gpus.map((line) => `${(Number(line.slice(line.lastIndexOf(",") + 1)) / 1024).toFixed(1)} GB`);
  return {
    hostname: hostName(),
    os: await osName(),
    cpus: String(navigator.hardwareConcurrency),
    ram: memory === undefined ? UNKNOWN : `${(memory / 2 ** 30).toFixed(1)} GB`,
    gpu: names.join("; ") || NONE,
    vram: sizes.join("; ") || NONE,
  };
}

/** The note as the Python peer lays it out. */
export function formatMachineInfo(info: MachineInfo): string {
  return [
    TITLE,
    "",
    `- Hostname: ${info.hostname}`,
    `- OS: ${info.os}`,
    `- CPUs: ${info.cpus}`,
    `- RAM: ${info.ram}`,
    `- GPU: ${info.gpu}`,
    `- VRAM: ${info.vram}`,
    "",
  ].join("\n");
}

/**
 * Writes `MACHINE_INFO.md` into a root that has none, or only a damaged one; a good one is never overwritten.
 *
 * Needs `--allow-read` and `--allow-write` for `dir`.
 *
 * @returns True when it was written.
 *
 * @example
 * ```ts
 * import { ensureMachineInfo } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * console.log(await ensureMachineInfo(root), await ensureMachineInfo(root)); // true false
 * ```
 */
export async function ensureMachineInfo(dir: Dir, options: HostOption = {}): Promise<boolean> {
  const { host = denoHost } = options;
  const root = pathOf(dir);
  const note = await readRegular(host, join(root, MACHINE_INFO), MAX_NOTE_BYTES);
  if (note instanceof Uint8Array && new TextDecoder().decode(note).startsWith(TITLE)) return false;
  if (note !== null && "reason" in note) return false; // a link or an unreadable file: not ours to replace
  await ensureDir(host, root);
  const text = formatMachineInfo(await machineInfo());
  await writeAtomic(host, root, MACHINE_INFO, new TextEncoder().encode(text), "replace");
  return true;
}
