/** Starts scripted agents in panes of a test's own tmux server. */
import type { TestServer } from "../tmux_server.ts";
import { until } from "../tmux_server.ts";
import type { Behaviour, Entry, LogEntry, Step } from "./script.ts";

const PROGRAM = new URL("../scripted_agent.ts", import.meta.url).pathname;

/** How it starts. */
export interface StartOptions {
  readonly behaviour?: Partial<Behaviour>;
  /** What it is told before it reads its first key. */
  readonly steps?: readonly Step[];
  /** A shell is there after it ends; otherwise its pane closes. */
  readonly shell?: boolean;
}

/** A scripted agent in a pane. Its server's end is its own. */
export class ScriptedAgent {
  /** Where its script, its log and its session files are. */
  readonly dir: string;
  /** Id of the pane. */
  readonly pane: string;
  readonly #server: TestServer;

  private constructor(server: TestServer, dir: string, pane: string) {
    this.#server = server;
    this.dir = dir;
    this.pane = pane;
  }

  /** Starts one in a new session, and waits until it reads. */
  static async start(server: TestServer, name: string, options: StartOptions = {}): Promise<ScriptedAgent> {
    const { behaviour = {}, steps = [], shell = false } = options;
    const dir = await Deno.makeTempDir({ dir: server.dir, prefix: "agent-" });
    const script: Step[] = [{ do: "set", behaviour }, ...steps];
    await Deno.writeTextFile(`${dir}/script.jsonl`, script.map((step) => `${JSON.stringify(step)}\n`).join(""));
    // The link's name is what makes it look like Claude Code among the processes.
    await Deno.symlink(Deno.execPath(), `${dir}/claude`);
    const command = `'${dir}/claude' run --no-config --no-check -A '${PROGRAM}' '${dir}'`;
    const pane = await server.session(
      name,
      shell ? `exec bash --norc -ic "${command}; exec bash --norc"` : `exec ${command}`,
    );
    const agent = new ScriptedAgent(server, dir, pane);
    await agent.saw("ready");
    return agent;
  }

  /** Tells it something, and waits until it was read. */
  async tell(...steps: Step[]) {
    const before = (await this.log()).filter(({ event }) => event === "told").length;
    const lines = steps.map((step) => `${JSON.stringify(step)}\n`).join("");
    await Deno.writeTextFile(`${this.dir}/script.jsonl`, lines, { append: true });
    await this.saw("told", before + steps.length);
  }

  /** All that happened. */
  async log(): Promise<LogEntry[]> {
    const text = await Deno.readTextFile(`${this.dir}/log.jsonl`).catch(() => "");
    return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "")
      .map((line): LogEntry => JSON.parse(line));
  }

  /** Waits until something happened so many times; returns the last of them. */
  async saw<E extends LogEntry["event"]>(event: E, times = 1): Promise<Entry<E>> {
    return await until(`${times} × ${event}`, async () => {
      const entries = (await this.log()).filter((entry): entry is LogEntry & Entry<E> => entry.event === event);
      return entries[times - 1] ?? null;
    });
  }

  /** Every message it took, in order. */
  async turns(): Promise<string[]> {
    return (await this.log()).flatMap((entry) => entry.event === "turn" ? [entry.text] : []);
  }

  /** Every byte it took. */
  async bytes(): Promise<Uint8Array> {
    const hex = (await this.log()).map((entry) => entry.event === "bytes" ? entry.hex : "").join("");
    return Uint8Array.fromHex(hex);
  }

  /** What its pane shows, with styles. */
  screen(): Promise<string> {
    return this.#server.tmux("capture-pane", "-p", "-e", "-t", this.pane);
  }

  /** Presses keys by their tmux names. */
  async keys(...names: string[]) {
    await this.#server.tmux("send-keys", "-t", this.pane, ...names);
  }

  /** Types text key by key, as a person does. */
  async type(text: string) {
    await this.#server.tmux("send-keys", "-t", this.pane, "-l", "--", text);
  }

  /** Pastes text in brackets. */
  async paste(text: string) {
    const path = `${this.dir}/paste`;
    await Deno.writeTextFile(path, text);
    await this.#server.tmux("load-buffer", "-b", "test", path);
    await this.#server.tmux("paste-buffer", "-p", "-r", "-d", "-b", "test", "-t", this.pane);
  }
}
