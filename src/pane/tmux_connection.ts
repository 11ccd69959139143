import { type Answer, failure, value } from "./answer.ts";
import { ControlClient } from "./control_client.ts";
import { Deadline, unlessAborted } from "./deadline.ts";
import { type PaneRef, sameServer } from "./multiplexer.ts";
import { endLine, newNonce, parseCount, parseParts, parseRows, rowFormat } from "./rows.ts";
import { runTmux, type TmuxCall, type TmuxCommand, type TmuxLaunch } from "./tmux_process.ts";
import { otherServer, readSameServer, serverCommand } from "./tmux_questions.ts";

/** How long a server that cannot be attached to is asked by processes only (30 s), before attaching is tried again. */
const RETRY_MS = 30_000;

/** How long a failed call may take on top to remove its buffer (1 s). */
const CLEAN_UP_MS = 1_000;

/** Hooks that attaching or leaving would run; they are somebody's and not ours to set off. */
const HOOKS = /^client-(attached|detached|session-changed)\[/m;

const SESSION = ["session_id", "session_attached", "session_activity", "session_alerts", "destroy-unattached"] as const;
type SessionRow = Readonly<Record<typeof SESSION[number], string>>;

/**
 * The session to attach to so that nobody notices, or `null`. Attaching clears the alert marks of a session's window, and
 * leaving ends a session that is to be destroyed when unattached. It also makes a session the one used last, and an
 * attached one is the last that a bare `tmux attach` takes: so rather one where somebody is, else the one unused longest.
 */
export function quietSession(rows: readonly SessionRow[]): string | null {
  const quiet = rows.filter((row) => /^(0|off|)$/.test(row["destroy-unattached"]) && row.session_alerts === "");
  const used = (row: SessionRow) => parseCount(row.session_activity) ?? 0;
  const attached = quiet.filter((row) => row.session_attached !== "0").sort((a, b) => used(b) - used(a));
  const unattached = quiet.filter((row) => row.session_attached === "0").sort((a, b) => used(a) - used(b));
  return [...attached, ...unattached].at(0)?.session_id ?? null;
}

/** The way to one tmux server: over a control client where one can be attached quietly, else by a process per call. */
export class TmuxConnection {
  readonly #launch: TmuxLaunch;
  readonly #control: boolean;
  #client: ControlClient | undefined;
  #attaching: Promise<ControlClient | null> | undefined;
  #retryAtMs = -Infinity;
  readonly #closing = new AbortController();

  /** @param control Whether a control client may be used at all. */
  constructor(launch: TmuxLaunch, control: boolean) {
    this.#launch = launch;
    this.#control = control;
  }

  /** Puts a question that changes nothing, so that it may be put again when the connection breaks under it. */
  async ask(commands: readonly TmuxCommand[], call: TmuxCall): Promise<Answer<string>> {
    const client = await this.#attached(call);
    if (client !== null) {
      const answer = await client.ask(commands, call);
      if (answer.ok || answer.reason !== "unknown" || call.deadline.left() === 0) return answer;
    }
    return await runTmux(this.#launch, commands, call);
  }

  /**
   * Carries out one command on a pane, at most once, and only on the server that the pane was seen on. A control client
   * is bound to its server. Processes are not: there the command stands behind one that only that server can carry out,
   * the removal of a buffer which was made, and whose server was identified, right before.
   */
  async act(pane: PaneRef, command: TmuxCommand, call: TmuxCall): Promise<Answer<null>> {
    const client = await this.#attached(call);
    // A connection that ended unnoticed is found out by a question, so that no command is put into the dark.
    if (client !== null && (await client.ask([serverCommand(newNonce())], call)).ok) {
      if (!sameServer(client.server, pane.server)) return otherServer(pane);
      return silent(command, await client.ask([command], call));
    }
    const guard = `deaddrop-guard-${newNonce()}`;
    const guarded = await this.load(pane, guard, "guard", call);
    if (!guarded.ok) return guarded;
    return silent(command, await runTmux(this.#launch, [["delete-buffer", "-b", guard], command], call));
  }

  /** Fills a buffer from standard input, on the server that the pane was seen on; elsewhere it is removed again. */
  async load(pane: PaneRef, buffer: string, text: string, call: TmuxCall): Promise<Answer<null>> {
    const nonce = newNonce();
    const commands = [["load-buffer", "-b", buffer, "-"], serverCommand(nonce)];
    const loaded = await runTmux(this.#launch, commands, { ...call, stdin: text });
    const same = loaded.ok ? readSameServer(loaded.value, pane, nonce) : loaded;
    if (!same.ok) await this.unload(buffer, call);
    return same;
  }

  /** Removes a buffer where it is still there. */
  async unload(buffer: string, { deadline }: TmuxCall): Promise<void> {
    await runTmux(this.#launch, [["delete-buffer", "-b", buffer]], {
      deadline: new Deadline(Math.min(CLEAN_UP_MS, deadline.ms)),
    });
  }

  /** Ends the control client. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#attaching;
    this.#retryAtMs = Infinity;
    await this.#client?.close();
  }

  /** The client to use; attaching takes at most half of the time, so that a process can still be asked. */
  async #attached(call: TmuxCall): Promise<ControlClient | null> {
    if (this.#client?.open) return this.#client;
    if (!this.#control || performance.now() < this.#retryAtMs) return null;
    this.#attaching ??= this.#attach(new Deadline(call.deadline.left() / 2)).finally(() => this.#attaching = undefined);
    return await unlessAborted(this.#attaching, call.signal);
  }

  async #attach(deadline: Deadline): Promise<ControlClient | null> {
    const old = this.#client;
    this.#client = undefined;
    await old?.close();
    const signal = this.#closing.signal;
    const attached = await this.#attachQuietly({ deadline, signal }).catch((error) => {
      if (signal.aborted) return failure("unknown", "The connection was closed");
      throw error;
    });
    if (attached.ok) this.#client = attached.value;
    else if (attached.reason !== "no-server") this.#retryAtMs = performance.now() + RETRY_MS;
    return this.#client ?? null;
  }

  async #attachQuietly(call: TmuxCall): Promise<Answer<ControlClient>> {
    const nonce = newNonce();
    const end = ["display-message", "-p", endLine(nonce)];
    const commands = [["list-sessions", "-F", rowFormat(SESSION, nonce)], end, ["show-hooks", "-g"], end];
    const answer = await runTmux(this.#launch, commands, call);
    if (!answer.ok) return answer;
    const parts = parseParts(answer.value, 2, nonce);
    const rows = parts === null ? null : parseRows(parts[0], SESSION, nonce);
    if (parts === null || rows === null) return failure("garbled", "tmux's answer about its sessions cannot be read");
    const session = HOOKS.test(parts[1]) ? null : quietSession(rows);
    if (session === null) return failure("refused", "No session can be attached to without a trace");
    return await ControlClient.attach(this.#launch, session, call);
  }
}

/** A command that prints nothing when it was carried out. */
function silent([name]: TmuxCommand, answer: Answer<string>): Answer<null> {
  if (!answer.ok) return answer;
  return answer.value === ""
    ? value(null)
    : failure("garbled", `tmux printed something on ${name}, which prints nothing`);
}
