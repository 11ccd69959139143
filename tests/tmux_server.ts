/** Throw-away tmux servers and tmux-alikes that misbehave, for tests. */

import { openTmux, type TmuxOptions } from "../src/pane/tmux.ts";
import type { Multiplexer, PaneRef } from "../src/pane/multiplexer.ts";

/** A server of its own socket, with no configuration; it ends with the test. */
export class TestServer implements AsyncDisposable {
  readonly name = `deaddrop-test-${crypto.randomUUID().slice(0, 8)}`;
  readonly dir = Deno.makeTempDirSync({ prefix: "deaddrop-tmux-" });

  /** Runs tmux as a person would, and returns what it printed. */
  async tmux(...args: string[]): Promise<string> {
    const command = new Deno.Command("tmux", {
      args: ["-u", "-L", this.name, "-f", "/dev/null", ...args],
      cwd: this.dir,
      env: { TMUX: "", SHELL: "/bin/bash" },
    });
    const { success, stdout, stderr } = await command.output();
    if (!success) throw new Error(`tmux ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout).trimEnd();
  }

  /** Starts a detached session of 80×24 and returns the id of its pane. */
  async session(name: string, command = "exec bash --norc", ...more: string[]): Promise<string> {
    const size = ["-x", "80", "-y", "24"];
    return await this.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, ...size, ...more, command);
  }

  /** The server as the library sees it. */
  open(options: TmuxOptions = {}): Multiplexer {
    return openTmux({ socket: { name: this.name }, ...options });
  }

  async [Symbol.asyncDispose]() {
    await this.tmux("kill-server").catch(() => {});
    await Deno.remove(this.dir, { recursive: true }).catch(() => {});
    await Deno.remove(`/tmp/tmux-${Deno.uid()}/${this.name}`).catch(() => {});
  }
}

/** The pane with this target on the server as it is now. */
export async function refOf(multiplexer: Multiplexer, target: string): Promise<PaneRef> {
  const list = await multiplexer.list();
  const pane = list.ok ? list.value.panes.find(({ ref }) => ref.target === target) : undefined;
  if (pane === undefined) throw new Error(`no pane ${target}: ${JSON.stringify(list)}`);
  return pane.ref;
}

/** Looks every few milliseconds until `look` finds something. */
export async function until<T>(what: string, look: () => T | null | Promise<T | null>): Promise<T> {
  const end = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`Gave up waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Command line of a raw-mode reader that logs every byte it is sent; the file is there once it reads. */
export function rawReader(file: string, bracketed: boolean): string {
  const mode = bracketed ? String.raw`printf "\033[?2004h"; ` : "";
  return `exec bash -c 'stty raw -echo; ${mode}exec cat > ${file}'`;
}
