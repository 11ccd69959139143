import { denoHost } from "../drop/host.ts";
import { ensureDir, syncDir, writeAtomic } from "../drop/atomic.ts";
import type { InjectPorts } from "../pane/inject.ts";
import { lockPane } from "../pane/pane_lock.ts";
import type { Probe } from "../pane/probe.ts";
import type { Profile } from "../pane/profile.ts";
import { findReceipt } from "../pane/receipt.ts";

/** What typing into panes keeps on this machine: locks, a record of every attempt, messages that went by file. */

/** `$XDG_STATE_HOME/deaddrop`, else `~/.local/state/deaddrop`. */
export function stateDir(): string {
  return `${Deno.env.get("XDG_STATE_HOME") || `${Deno.env.get("HOME")}/.local/state`}/deaddrop`;
}

/** Where the message of a delivery is left when it goes by file. */
export function messageFile(deliveryId: string): string {
  return `${stateDir()}/messages/${deliveryId}.md`;
}

/** The outside of `inject`, as files in {@linkcode stateDir}. */
export function filePorts(profiles: readonly Profile[]): InjectPorts {
  const dir = stateDir();
  return {
    lock: (pane) => lockPane(`${dir}/locks`, pane),
    async recordAttempt(deliveryId) {
      await ensureDir(denoHost, dir);
      const line = JSON.stringify({ deliveryId, at: new Date().toISOString(), pid: Deno.pid }) + "\n";
      using log = await Deno.open(`${dir}/attempts.jsonl`, { append: true, create: true, mode: 0o600 });
      await log.write(new TextEncoder().encode(line));
      await log.sync();
      await syncDir(denoHost, dir);
    },
    async writeFile(deliveryId, content) {
      await ensureDir(denoHost, `${dir}/messages`);
      const bytes = new TextEncoder().encode(content);
      return await writeAtomic(denoHost, `${dir}/messages`, `${deliveryId}.md`, bytes, "refuse");
    },
    async receipt(probe, deliveryId, sinceMs) {
      const place = await placeOf(probe);
      const profile = profiles.find(({ agent }) => agent === probe.agent);
      if (place === null || profile === undefined) return { kind: "no-files", complete: false };
      return await findReceipt({ pattern: profile.receipt.path, ...place, deliveryId, sinceMs });
    },
  };
}

/** Home and working directory of the agent's own process, which need not be ours. */
async function placeOf({ snapshot }: Probe): Promise<{ home: string; cwd: string } | null> {
  const pids = snapshot.facts.processes.filter(({ foreground }) => foreground).map(({ pid }) => pid);
  for (const pid of pids) {
    try {
      const environ = (await Deno.readTextFile(`/proc/${pid}/environ`)).split("\0");
      const home = environ.find((entry) => entry.startsWith("HOME="))?.slice(5);
      if (home) return { home, cwd: await Deno.readLink(`/proc/${pid}/cwd`) };
    } catch { /* another user's process, or gone: the next one may tell */ }
  }
  return null;
}
