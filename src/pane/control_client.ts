import { type Answer, failure, quote, refusal, value } from "./answer.ts";
import { type ControlEvent, ControlReader } from "./control_reader.ts";
import type { ServerIdentity } from "./multiplexer.ts";
import { newNonce, parseCount, parseRows, rowFormat } from "./rows.ts";
import {
  commandNames,
  killGroup,
  MAX_OUTPUT_BYTES,
  spawnTmux,
  type TmuxCall,
  type TmuxCommand,
  type TmuxLaunch,
} from "./tmux_process.ts";

/** One long-lived connection to a tmux server, on which a question costs a fraction of a millisecond. */

/**
 * Flags that keep the connection out of everybody's way: it has no part in the size of windows, and no output of panes is
 * sent to it. (`read-only` is not among them: it takes keys and buffers away from newer servers' clients.)
 */
const FLAGS = "ignore-size,no-output";

/** An argument as tmux's own parser reads it back: quoted, so that nothing in it is syntax. */
function quoted(argument: string): string {
  if (/\p{Cc}/u.test(argument)) throw new TypeError(`Cannot send ${JSON.stringify(argument)} to tmux on one line`);
  return `'${argument.replaceAll("'", `'"'"'`)}'`;
}

interface Question {
  readonly what: string;
  readonly texts: string[];
  /** Blocks that are still to come. */
  left: number;
  settle(answer: Answer<string>): void;
}

/**
 * A client of tmux's control mode. It is bound to one life of the server: when that ends, so does the client, and nothing
 * that is asked of it can reach another server.
 */
export class ControlClient {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #asked: Question[] = [];
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #reading: Promise<void>;
  #ended: string | undefined;
  /** The server that it is connected to. */
  server: ServerIdentity = { pid: 0, startTime: 0 };

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#reader = child.stdout.pipeThrough(new TextDecoderStream("utf-8", { ignoreBOM: true })).getReader();
    this.#reading = Promise.all([this.#read(), child.stderr.cancel(), child.status]).then(() => {}, () => {});
  }

  /**
   * Attaches to a session, without touching the session's environment (`-E`), and asks who the server is.
   *
   * @param session Id of the session, as `$3`.
   */
  static async attach(launch: TmuxLaunch, session: string, call: TmuxCall): Promise<Answer<ControlClient>> {
    let client: ControlClient;
    try {
      const args = ["-C", "attach-session", "-E", "-f", FLAGS, "-t", `${session}:`];
      client = new ControlClient(spawnTmux(launch, args, "piped"));
    } catch (error) {
      return failure("no-tmux", `Cannot run ${launch.program}: ${error instanceof Error ? error.message : error}`);
    }
    const identity = await client.#identify(call).catch(async (error) => {
      await client.close();
      throw error;
    });
    if (!identity.ok) {
      await client.close();
      return identity;
    }
    client.server = identity.value;
    return value(client);
  }

  async #identify(call: TmuxCall): Promise<Answer<ServerIdentity>> {
    const nonce = newNonce();
    const fields = ["pid", "start_time"] as const;
    const who = await this.ask([["display-message", "-p", rowFormat(fields, nonce)]], call);
    if (!who.ok) return who;
    const row = parseRows(who.value, fields, nonce)?.at(0);
    const pid = parseCount(row?.pid ?? "");
    const startTime = parseCount(row?.start_time ?? "");
    if (pid === null || startTime === null) {
      return failure("garbled", `tmux does not say who it is, but ${quote(who.value)}`);
    }
    return value({ pid, startTime });
  }

  /** False once the connection is over; a new one is needed then. */
  get open(): boolean {
    return this.#ended === undefined;
  }

  /**
   * Runs a list of commands in one go and returns what they printed. The list ends at the first command that fails.
   * After the deadline the connection is given up, since later replies could not be told apart from late ones.
   *
   * @throws the signal's reason when it aborts; the reply is then dropped when it comes.
   */
  ask(commands: readonly TmuxCommand[], { deadline, signal }: TmuxCall): Promise<Answer<string>> {
    signal?.throwIfAborted();
    const what = commandNames(commands);
    if (this.#ended !== undefined) return Promise.resolve(failure("unknown", this.#ended));
    const line = commands.map((command) => command.map(quoted).join(" ")).join(" ; ");
    return new Promise((resolve, reject) => {
      const late = () => this.#end(`tmux did not answer ${what} within ${deadline.ms} ms`);
      const timer = setTimeout(late, deadline.left());
      const leave = () => reject(signal!.reason);
      const settle = (answer: Answer<string>) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
        resolve(answer);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#asked.push({ what, texts: [], left: commands.length, settle });
      this.#writer.write(new TextEncoder().encode(`${line}\n`)).catch(() => {}); // the end of its output says more
    });
  }

  /** Ends the connection and waits until the process is gone. */
  async close(): Promise<void> {
    this.#end("The connection to tmux was closed");
    await this.#reading;
  }

  #end(why: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    killGroup(this.#child.pid);
    this.#writer.abort().catch(() => {});
    this.#reader.cancel().catch(() => {}); // a child that left the group may still hold the other end
    for (const question of this.#asked.splice(0)) question.settle(failure("unknown", why));
  }

  async #read(): Promise<void> {
    const control = new ControlReader();
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        for (const event of control.push(value)) this.#take(event);
        if (control.held > MAX_OUTPUT_BYTES) this.#end(`tmux sent more than ${MAX_OUTPUT_BYTES} characters at once`);
      }
    } finally {
      this.#end("tmux ended the connection");
    }
  }

  #take(event: ControlEvent): void {
    if (event.kind === "exit") return this.#end("tmux ended the connection");
    const question = this.#asked[0];
    if (event.kind === "broken" || question === undefined) {
      return this.#end(`tmux answered out of turn${event.kind === "broken" ? ` with ${quote(event.line)}` : ""}`);
    }
    if (event.ok) question.texts.push(event.text);
    question.left = event.ok ? question.left - 1 : 0;
    if (question.left > 0) return;
    this.#asked.shift();
    question.settle(event.ok ? value(question.texts.join("")) : refusal(question.what, event.text));
  }
}
