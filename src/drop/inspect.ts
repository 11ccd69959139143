import { apparentAgeMs } from "./age.ts";
import { TEMP_MAX_AGE_MS } from "./atomic.ts";
import { bundleState } from "./read_bundle.ts";
import { LEASE_MS, parseClaim } from "./claim.ts";
import { DeadDropError, isGone } from "./error.ts";
import { denoHost, type Host, type HostOption } from "./host.ts";
import { isMessageName, isName, type Leftover, leftoverOf, MACHINE_INFO } from "./names.ts";
import { type Dir, join, list, lstatOrNull, pathOf } from "./paths.ts";
import { pendingPrompts } from "./prompt.ts";
import { readRegular } from "./read.ts";
import { replyState } from "./reply_state.ts";
import {
  ADVICE,
  type Finding,
  type FindingKind,
  LEFTOVER_ADVICE,
  MAX_FINDINGS,
  type RootReport,
  type SessionReport,
} from "./report.ts";
import { EXTRAS, sessionInfo } from "./session.ts";

/** Looking after a root: what lies in it and what needs a hand. Nothing is ever written, and of replies only the end is read. */

const MAX_NOTE_BYTES = 64 * 1024;

/** Directories of the older route, whose files are no messages of a session. */
const OLDER_ROUTE = new Set(["prompts", "responses"]);

/** Names that are directories in a session. */
const PARTS = new Set(["inbox", "outbox"]);

/** Options of {@linkcode inspectRoot}. */
export interface InspectOptions extends HostOption {
  /** List at most this many findings. @default {1000} */
  readonly maxFindings?: number;
}

/**
 * Looks through a root: its sessions and what waits in them, and every entry that may need a hand.
 *
 * It writes nothing, not even a probe, so ages are by this machine's clock.
 *
 * Needs `--allow-read` for `dir`.
 *
 * @param dir The root.
 * @returns The report, in the order of names.
 * @throws {DeadDropError} `missing` when there is no such directory, `wrong-kind` when it is a file, `system` when it
 * cannot be listed.
 *
 * @example
 * ```ts
 * import { dropPrompt } from "@deaddrop/deaddrop";
 * import { inspectRoot } from "./inspect.ts";
 *
 * const root = await Deno.makeTempDir();
 * await dropPrompt(root, "lab", "anybody there?");
 * const { sessions, findings } = await inspectRoot(root);
 * console.log(sessions[0].pending, findings[0].kind); // 1 "unanswered"
 * ```
 */
export async function inspectRoot(dir: Dir, options: InspectOptions = {}): Promise<RootReport> {
  const { host = denoHost, maxFindings = MAX_FINDINGS } = options;
  return await new Inspector(readOnly(host), pathOf(dir), maxFindings).root();
}

/** The same machine, on which whatever would write fails. */
function readOnly(host: Host): Host {
  const { fs } = host;
  const refuse = () => Promise.reject(new DeadDropError("system", "Cannot write: a report only reads"));
  return {
    ...host,
    fs: {
      chmod: refuse,
      link: refuse,
      mkdir: refuse,
      remove: refuse,
      rename: refuse,
      utime: refuse,
      lstat: (path) => fs.lstat(path),
      open: (path, options) => options?.write || options?.append ? refuse() : fs.open(path, options),
      readDir: (path) => fs.readDir(path),
      watchFs: (paths, options) => fs.watchFs(paths, options),
    },
  };
}

/** An entry that nothing is wrong with. */
interface Ordinary {
  readonly name: string;
  readonly info: Deno.FileInfo;
}

class Inspector {
  readonly #host: Host;
  readonly #root: string;
  readonly #maxFindings: number;
  readonly #findings: Finding[] = [];
  #more = 0;

  constructor(host: Host, root: string, maxFindings: number) {
    this.#host = host;
    this.#root = root;
    this.#maxFindings = maxFindings;
  }

  async root(): Promise<RootReport> {
    await list(this.#host, this.#root); // throws when this is no root that can be looked at
    const machineNote = await this.#machineNote();
    const sessions: SessionReport[] = [];
    for (const { name, info } of await this.#ordinary(this.#root)) {
      if (info.isDirectory && !OLDER_ROUTE.has(name)) sessions.push(await this.#session(name));
    }
    const olderRoute = { prompts: await this.#files("prompts"), responses: await this.#files("responses") };
    return {
      root: this.#root,
      machineNote,
      sessions,
      olderRoute,
      findings: this.#findings,
      moreFindings: this.#more,
    };
  }

  async #machineNote(): Promise<RootReport["machineNote"]> {
    const note = await readRegular(this.#host, join(this.#root, MACHINE_INFO), MAX_NOTE_BYTES);
    if (note === null) return "missing";
    const good = note instanceof Uint8Array && new TextDecoder().decode(note).startsWith("# Machine Info");
    return good ? "present" : "damaged";
  }

  async #session(id: string): Promise<SessionReport> {
    const home = join(this.#root, id);
    const entries = await this.#ordinary(home);
    const who = await this.#attempt(home, () => sessionInfo(this.#root, id, { host: this.#host }));
    for (const { name, info } of entries) {
      if (PARTS.has(name) && info.isFile) this.#add("not-regular", join(home, name), info);
    }
    const prompts = entries.some(isDirectory("inbox")) ? await this.#ordinary(join(home, "inbox")) : [];
    const replies = entries.some(isDirectory("outbox")) ? await this.#replies(id) : { streaming: 0, stale: 0, done: 0 };
    return {
      id,
      state: who?.state ?? "unreadable",
      lastSeen: who?.lastSeen ?? null,
      hostName: who?.hostName ?? null,
      drops: entries.filter(({ name, info }) => info.isFile && isMessageName(name) && !PARTS.has(name)).length,
      prompts: prompts.filter(({ info }) => info.isDirectory).length,
      pending: await this.#pending(id, prompts),
      ...replies,
    };
  }

  async #replies(id: string): Promise<Pick<SessionReport, "streaming" | "stale" | "done">> {
    const counts = { streaming: 0, stale: 0, done: 0 };
    const outbox = join(this.#root, id, "outbox");
    for (const { name, info } of await this.#ordinary(outbox)) {
      if (!info.isFile) continue;
      const path = join(outbox, name);
      const state = await this.#attempt(path, () => replyState(this.#root, id, name, { host: this.#host, name }));
      if (state === undefined || state === "pending") continue; // it went away in between
      counts[state]++;
      if (state === "streaming") this.#add("unfinished-reply", path, info);
      if (state === "stale") this.#add("stale-reply", path, info);
    }
    return counts;
  }

  /** Reports what keeps prompts from being answered; returns how many wait. */
  async #pending(id: string, prompts: readonly Ordinary[]): Promise<number> {
    const inbox = join(this.#root, id, "inbox");
    const options = { host: this.#host };
    const pending = new Set(await this.#attempt(inbox, () => pendingPrompts(this.#root, id, options)));
    for (const { name, info } of prompts) {
      if (!info.isDirectory) continue;
      const path = join(inbox, name);
      const reply = await this.#attempt(path, () => replyState(this.#root, id, name, options));
      if (reply !== "pending") continue; // answered, or reported as a reply
      if (pending.has(name)) this.#add("unanswered", path, info);
      else if (await this.#attempt(path, () => bundleState(this.#host, path)) === "arriving") {
        this.#add("arriving", path, info);
      }
      await this.#ordinary(path, (leftover) => leftover !== "copy"); // people do attach `photo (1).jpg`
    }
    return pending.size;
  }

  /** How many files a directory of the older route holds. */
  async #files(route: string): Promise<number> {
    const dir = join(this.#root, route);
    if (!(await lstatOrNull(this.#host, dir))?.isDirectory) return 0;
    return (await this.#ordinary(dir)).filter(({ info }) => info.isFile).length;
  }

  /** The visible entries of `dir` that nothing is wrong with, sorted; the others are reported. */
  async #ordinary(dir: string, counts = (_: Leftover) => true): Promise<Ordinary[]> {
    const entries = await this.#attempt(dir, () => list(this.#host, dir)) ?? [];
    const ordinary: Ordinary[] = [];
    for (const { name } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      const path = join(dir, name);
      const info = await this.#attempt(path, () => lstatOrNull(this.#host, path));
      if (!info) continue;
      const leftover = leftoverOf(name);
      if (name.startsWith(".")) await this.#hidden(path, name, info);
      else if (!info.isFile && !info.isDirectory) this.#add("not-regular", path, info);
      else if (leftover !== undefined && counts(leftover)) this.#add("leftover", path, info, LEFTOVER_ADVICE[leftover]);
      else if (!isName(name)) this.#add("foreign-name", path, info);
      else if (await this.#isUnreadable(path, info)) this.#add("unreadable", path, info);
      else {
        if (info.isFile && info.size > 0 && info.blocks === 0) this.#add("placeholder", path, info);
        ordinary.push({ name, info });
      }
    }
    return ordinary;
  }

  async #hidden(path: string, name: string, info: Deno.FileInfo) {
    if (name === EXTRAS) {
      if (info.isDirectory) await this.#ordinary(path); // for its temporaries
      else this.#add("not-regular", path, info);
    }
    const ageMs = apparentAgeMs(this.#host, info);
    if (name.startsWith(".tmp-") && ageMs >= TEMP_MAX_AGE_MS) this.#add("stale-temp", path, info);
    else if (parseClaim(name) !== undefined && ageMs >= LEASE_MS) this.#add("stale-claim", path, info);
    else if (/^\..+\.icloud$/i.test(name)) this.#add("placeholder", path, info);
  }

  /** Opens and closes, which downloads nothing; the mode is asked too, since root may open everything. */
  async #isUnreadable(path: string, info: Deno.FileInfo): Promise<boolean> {
    if (info.mode !== null && (info.mode & 0o444) === 0) return true;
    if (!info.isFile) return false; // listing a directory tells
    try {
      (await this.#host.fs.open(path, { read: true })).close();
      return false;
    } catch (error) {
      return !isGone(error);
    }
  }

  #add(kind: Exclude<FindingKind, "leftover">, path: string, info: Deno.FileInfo | null): void;
  #add(kind: FindingKind, path: string, info: Deno.FileInfo | null, advice: string): void;
  #add(kind: Exclude<FindingKind, "leftover">, path: string, info: Deno.FileInfo | null, advice = ADVICE[kind]) {
    if (this.#findings.length >= this.#maxFindings) this.#more++;
    else this.#findings.push({ kind, path, ageMs: info && apparentAgeMs(this.#host, info), advice });
  }

  /** What `work` returns; what keeps it from that is a finding about `path`, except for links, which their listing shows. */
  async #attempt<T>(path: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DeadDropError)) throw error;
      if (error.code !== "wrong-kind" && error.code !== "missing") this.#add("unreadable", path, null);
    }
  }
}

function isDirectory(of: string): (entry: Ordinary) => boolean {
  return ({ name, info }) => name === of && info.isDirectory;
}
