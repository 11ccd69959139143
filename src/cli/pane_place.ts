import { parseSocket, type SocketAddress, socketOfPane } from "../pane/socket.ts";
import { loadProfiles, type Profile } from "../pane/profile.ts";
import { refused } from "./exit.ts";

/** Which tmux server a command means, and what is known about agents. */

function env(name: string): string | undefined {
  return Deno.permissions.querySync({ name: "env", variable: name }).state === "granted"
    ? Deno.env.get(name)
    : undefined;
}

/** The server of `--socket`; else the one that this shell runs in; else the default one. */
export function socketOf(option: string | undefined): SocketAddress | undefined {
  return option === undefined ? socketOfPane(env("TMUX")) ?? undefined : parseSocket(option);
}

/** The profiles of this release, with those of `$XDG_CONFIG_HOME/deaddrop/profiles.json` in the place of the same agents. */
export async function profilesOf(): Promise<readonly Profile[]> {
  const config = env("XDG_CONFIG_HOME") ?? `${env("HOME") ?? ""}/.config`;
  const read = await loadProfiles(`${config}/deaddrop/profiles.json`);
  if (!read.ok) throw refused(read.problem.replace(/\.$/, ""));
  return read.profiles;
}
