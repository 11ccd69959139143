import { type Answer, type Failure, failure } from "./answer.ts";
import {
  type CallOptions,
  DEADLINE_MS,
  type Key,
  KEYS,
  type Multiplexer,
  type PaneList,
  type PaneLook,
  type PaneRef,
  TMUX,
} from "./multiplexer.ts";
import { Deadline } from "./deadline.ts";
import { newNonce } from "./rows.ts";
import { DEFAULT_SOCKET, networkFileSystem, type SocketAddress } from "./socket.ts";
import { TmuxConnection } from "./tmux_connection.ts";
import { launchAddress, type TmuxCall, type TmuxLaunch } from "./tmux_process.ts";
import { CELL_OPTION, listCommands, lookCommands, readList, readLook } from "./tmux_questions.ts";

/** Options of {@linkcode openTmux}. */
export interface TmuxOptions {
  /** The server to talk to. @default {DEFAULT_SOCKET} */
  readonly socket?: SocketAddress;
  /** The program, a name or a path. @default {"tmux"} */
  readonly program?: string;
  /** `false` runs a process for every call. @default {true} */
  readonly control?: boolean;
  /** Where `PATH`, `HOME` and `TMUX_TMPDIR` come from. @default {the process's environment} */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The table of mounted file systems. @default {"/proc/self/mounts"} */
  readonly mountsPath?: string;
}

const ENVIRONMENT = ["PATH", "HOME", "TMUX_TMPDIR"];

/**
 * A tmux server, found by its socket. Opening it runs nothing; no call ever starts a server.
 *
 * Requires permission to run tmux, to read its socket's folder, `/proc` and the environment, and `--allow-sys=uid`.
 *
 * @example
 * ```ts
 * import { openTmux } from "./tmux.ts";
 * await using tmux = openTmux({ socket: { name: "no-such-server" } });
 * const list = await tmux.list();
 * console.log(list.ok ? list.value.panes.length : list.reason);
 * ```
 */
export function openTmux(options: TmuxOptions = {}): Multiplexer {
  const { socket = DEFAULT_SOCKET, program = "tmux", control = true, mountsPath = "/proc/self/mounts" } = options;
  const read = (name: string) => options.env === undefined ? Deno.env.get(name) : options.env[name];
  const env = ENVIRONMENT.flatMap((name) => read(name) === undefined ? [] : [[name, read(name)!]]);
  return new Tmux({ program, socket, env: Object.fromEntries(env) }, control, mountsPath);
}

class Tmux implements Multiplexer {
  readonly capabilities = TMUX;
  readonly address: string;
  readonly #connection: TmuxConnection;
  readonly #mountsPath: string;
  #socketChecked: Promise<Failure | null> | undefined;

  constructor(launch: TmuxLaunch, control: boolean, mountsPath: string) {
    this.address = launchAddress(launch);
    this.#connection = new TmuxConnection(launch, control);
    this.#mountsPath = mountsPath;
  }

  async list(options?: CallOptions): Promise<Answer<PaneList>> {
    const refused = await this.#checkSocket();
    if (refused !== null) return refused;
    const nonce = newNonce();
    const answer = await this.#connection.ask(listCommands(nonce), call(options));
    return answer.ok ? readList(answer.value, nonce) : answer;
  }

  async look(panes: readonly PaneRef[], options?: CallOptions): Promise<Answer<PaneLook>[]> {
    const refused = await this.#checkSocket();
    if (refused !== null) return panes.map(() => refused);
    const { deadline, signal } = call(options);
    return await atMost(LOOKS_AT_ONCE, panes, async (pane) => {
      if (deadline.left() === 0) {
        return failure("unknown", `tmux did not answer for all panes within ${deadline.ms} ms`);
      }
      const nonce = newNonce();
      const answer = await this.#connection.ask(lookCommands(pane.target, nonce), { deadline, signal });
      return answer.ok ? readLook(answer.value, pane, nonce) : answer;
    });
  }

  async paste(pane: PaneRef, text: string, options?: CallOptions): Promise<Answer<null>> {
    const refused = await this.#checkSocket();
    if (refused !== null) return refused;
    const buffer = `deaddrop-${newNonce()}`;
    const whole = call(options);
    const loaded = await this.#connection.load(pane, buffer, text, whole);
    if (!loaded.ok) return loaded;
    const command = ["paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", pane.target];
    const pasted = await this.#connection.act(pane, command, whole);
    if (!pasted.ok) await this.#connection.unload(buffer, whole);
    return pasted;
  }

  async press(pane: PaneRef, key: Key, options?: CallOptions): Promise<Answer<null>> {
    if (!KEYS.includes(key)) {
      throw new TypeError(`Cannot press ${JSON.stringify(key)}: only ${KEYS.join(" and ")} are keys`);
    }
    return await this.#act(pane, ["send-keys", "-t", pane.target, key], options);
  }

  async stamp(pane: PaneRef, cell: string | null, options?: CallOptions): Promise<Answer<null>> {
    if (cell !== null && (cell === "" || /\p{Cc}/u.test(cell))) {
      throw new TypeError(`Cannot stamp a pane with ${JSON.stringify(cell)}: give a name without control characters`);
    }
    const change = cell === null ? ["-u", CELL_OPTION] : ["--", CELL_OPTION, cell];
    return await this.#act(pane, ["set-option", "-p", "-t", pane.target, ...change], options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  async #act(pane: PaneRef, command: readonly string[], options?: CallOptions): Promise<Answer<null>> {
    return await this.#checkSocket() ?? await this.#connection.act(pane, command, call(options));
  }

  /** Sockets on a network file system are refused: two hosts that share the folder delete each other's. */
  #checkSocket(): Promise<Failure | null> {
    return this.#socketChecked ??= this.#findNetwork();
  }

  async #findNetwork(): Promise<Failure | null> {
    const folder = this.address.replace(/\/[^/]*$/, "") || "/";
    const path = await Deno.realPath(folder).catch(() => folder); // without a folder there is no server, tmux will say so
    const mounts = await Deno.readTextFile(this.#mountsPath).catch(() => ""); // not Linux: not known
    const type = networkFileSystem(path, mounts);
    if (type === null) return null;
    const way = "set TMUX_TMPDIR to a local folder and start the server there";
    return failure("network-socket", `The socket ${this.address} lies on a network file system (${type}): ${way}`);
  }
}

/** Looks under way at once: enough to fill the connection, few enough for processes. */
const LOOKS_AT_ONCE = 8;

/** Maps in order, with at most `limit` under way. */
async function atMost<T, R>(limit: number, items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await map(items[index]);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}

function call({ timeoutMs = DEADLINE_MS, signal }: CallOptions = {}): TmuxCall {
  return { deadline: new Deadline(timeoutMs), signal };
}
