import { ensureDir, sweepTemps, TEMP_MAX_AGE_MS, writeAtomic } from "./atomic.ts";
import { denoHost, granted, type Host, type HostOption, randomHex } from "./host.ts";
import { leaseState } from "./lease.ts";
import { ensureMachineInfo, hostName } from "./machine_info.ts";
import { checkMessageName, checkName, isMessageName, isName } from "./names.ts";
import { type Dir, inside, join, listOrEmpty, lstatOrNull, pathOf } from "./paths.ts";
import { readRegular } from "./read.ts";
import { repeat } from "./repeat.ts";

/** Sessions: one directory each under the root, announced by whoever waits there, with a heartbeat while it does. */

/** Everything of ours in a session that the Python peer need not see lives in this hidden directory of it. */
export const EXTRAS = ".deaddrop";

/** Time between two heartbeats of a session (60 s): each is a small file, and one loop may attend to hundreds. */
export const HEARTBEAT_MS = 60_000;

/** A session whose heartbeat is older than this (150 s, more than two beats) counts as silent. */
export const SILENT_MS = 150_000;

const HEARTBEAT = "session.json";
const MAX_HEARTBEAT_BYTES = 4096;
let randomSession: string | undefined;

/**
 * This process's session id: `$CLAUDE_CODE_SESSION_ID` if that is set, else 12 random hex digits, the same for the life of
 * the process.
 *
 * Needs `--allow-env=CLAUDE_CODE_SESSION_ID` to see the variable; without it the id is random.
 *
 * @throws {DeadDropError} `bad-input` when the variable holds no safe path segment.
 *
 * @example
 * ```ts
 * import { sessionId } from "@deaddrop/deaddrop";
 *
 * console.log(sessionId() === sessionId()); // true
 * ```
 */
export function sessionId(): string {
  const variable = "CLAUDE_CODE_SESSION_ID";
  const fromEnv = granted({ name: "env", variable }) ? Deno.env.get(variable) : undefined;
  if (fromEnv) return checkName(fromEnv, `session id (from $${variable})`);
  return randomSession ??= randomHex(denoHost, 6);
}

/** The directory of a session, checked and not through a link; it need not exist. */
export async function sessionDir(host: Host, root: string, id: string, ...below: string[]): Promise<string> {
  return await inside(host, root, checkMessageName(id, "session id"), ...below);
}

/** Sessions that somebody attends to; disposing of it ends the heartbeat. */
export interface Attendance extends AsyncDisposable {
  /** Path of each session's directory, or of `below` in it, with its id. */
  readonly dirs: ReadonlyMap<string, string>;
}

/** Options of {@linkcode attend}. */
export interface AttendOptions {
  /** Directories to make in each session; the first is the one waited on. */
  readonly below?: readonly string[];
  readonly tempMaxAgeMs?: number;
}

/**
 * Announces that somebody waits for messages of `ids`: makes the directories, writes the note about the machine if there is
 * none, sweeps what dead writers left, and beats until disposed.
 */
export async function attend(
  host: Host,
  root: string,
  ids: readonly string[],
  { below = [], tempMaxAgeMs = TEMP_MAX_AGE_MS }: AttendOptions = {},
): Promise<Attendance> {
  const dirs = new Map<string, string>();
  const homes: string[] = [];
  for (const id of ids) {
    const home = await sessionDir(host, root, id);
    const waited = await Promise.all((below.length === 0 ? [[]] : below.map((name) => [name])).map(async (segments) => {
      const dir = await sessionDir(host, root, id, ...segments);
      await ensureDir(host, dir);
      await sweepTemps(host, dir, tempMaxAgeMs);
      return dir;
    }));
    const extras = await sessionDir(host, root, id, EXTRAS);
    await ensureDir(host, extras);
    await sweepTemps(host, extras, tempMaxAgeMs);
    dirs.set(waited[0], id);
    homes.push(home);
  }
  await ensureMachineInfo(root, { host });
  const beat = async () => {
    const stamp = JSON.stringify({
      v: 1,
      seen: new Date(host.clock.now()).toISOString(),
      everyMs: HEARTBEAT_MS,
      host: hostName(),
      pid: Deno.pid,
    });
    const bytes = new TextEncoder().encode(stamp + "\n");
    for (const home of homes) {
      await writeAtomic(host, join(home, EXTRAS), HEARTBEAT, bytes, "replace", { durable: false });
    }
  };
  await beat();
  const beating = repeat(host, HEARTBEAT_MS, beat);
  return { dirs, [Symbol.asyncDispose]: () => beating.stop() };
}

/** Options of {@linkcode listSessions}. */
export interface ListSessionsOptions extends HostOption {
  /** Count only sessions that have at least one of these directories, such as `["inbox", "outbox"]`. */
  readonly require?: readonly string[];
}

/**
 * The sessions of a root: names of its directories, sorted. Hidden directories, links, files and what sync tools left are
 * not sessions.
 *
 * Needs `--allow-read` for `dir`.
 *
 * @param dir The root; one that does not exist has no sessions.
 * @returns Session ids.
 *
 * @example
 * ```ts
 * import { drop, listSessions } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * await drop(`${root}/lab`, "hello");
 * console.log(await listSessions(root)); // ["lab"]
 * ```
 */
export async function listSessions(dir: Dir, options: ListSessionsOptions = {}): Promise<string[]> {
  const { host = denoHost, require } = options;
  const root = pathOf(dir);
  const ids: string[] = [];
  for (const { name, isDirectory } of await listOrEmpty(host, root)) {
    if (!isDirectory || !isMessageName(name)) continue;
    if (require !== undefined) {
      const below = await listOrEmpty(host, join(root, name));
      if (!below.some((entry) => entry.isDirectory && require.includes(entry.name))) continue;
    }
    ids.push(name);
  }
  return ids.sort();
}

/** Who is behind a session, as {@linkcode sessionInfo} found it. */
export interface SessionInfo {
  /** The session. */
  readonly id: string;
  /**
   * `answering`: a reply or a handed-out prompt is in work. `waiting`: its heartbeat is fresh. `silent`: it was announced,
   * but the heartbeat stopped. `unannounced`: it never beat, as with the Python peer.
   */
  readonly state: "answering" | "waiting" | "silent" | "unannounced";
  /** The session's own time stamp of its last heartbeat, ISO 8601, by its clock; `null` without one. */
  readonly lastSeen: string | null;
  /** Milliseconds since this side saw the heartbeat change, by this side's clock; `null` without one. */
  readonly quietMs: number | null;
  /** Name of the machine that it ran on; `null` when unknown. */
  readonly hostName: string | null;
}

/**
 * Tells whether somebody attends to a session. Only reads.
 *
 * Whether a heartbeat is fresh is judged by when *this* side's file system saw it change, never by the stamp in it, so that
 * a wrong clock on the other machine changes nothing.
 *
 * Needs `--allow-read` for `dir`.
 *
 * @param dir The root.
 * @param id The session.
 * @throws {DeadDropError} `bad-input` for an unsafe id.
 *
 * @example
 * ```ts
 * import { drop, sessionInfo } from "@deaddrop/deaddrop";
 *
 * const root = await Deno.makeTempDir();
 * await drop(`${root}/lab`, "hello");
 * console.log((await sessionInfo(root, "lab")).state); // "unannounced"
 * ```
 */
export async function sessionInfo(dir: Dir, id: string, options: HostOption = {}): Promise<SessionInfo> {
  const { host = denoHost } = options;
  const extras = await sessionDir(host, pathOf(dir), id, EXTRAS);
  const { lastSeen, hostName } = await readHeartbeat(host, join(extras, HEARTBEAT));
  const info = await lstatOrNull(host, join(extras, HEARTBEAT));
  // A synced file's own stamp is the writer's; `ctime` is when it arrived here, in whole seconds.
  const quietMs = info === null ? null : Math.max(0, host.clock.now() - (info.ctime ?? info.mtime)!.getTime());
  const answering = await isAnswering(host, extras);
  const state = answering
    ? "answering"
    : quietMs === null
    ? "unannounced"
    : quietMs <= SILENT_MS
    ? "waiting"
    : "silent";
  return { id, state, lastSeen, quietMs, hostName };
}

async function readHeartbeat(host: Host, path: string): Promise<{ lastSeen: string | null; hostName: string | null }> {
  const bytes = await readRegular(host, path, MAX_HEARTBEAT_BYTES);
  try {
    if (!(bytes instanceof Uint8Array)) throw new TypeError("nothing to read");
    const { seen, host } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const time = typeof seen === "string" && !Number.isNaN(Date.parse(seen)) ? new Date(seen).toISOString() : null;
    return { lastSeen: time, hostName: typeof host === "string" && isName(host) ? host : null };
  } catch {
    return { lastSeen: null, hostName: null }; // torn or foreign: its age still counts
  }
}

async function isAnswering(host: Host, extras: string): Promise<boolean> {
  for (const { name, isFile } of await listOrEmpty(host, extras)) {
    if (isFile && name.endsWith(".lease") && await leaseState(host, extras, name) === "held") return true;
  }
  return false;
}
