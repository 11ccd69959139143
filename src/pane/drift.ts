import type { Probe } from "./probe.ts";

/**
 * The drift alarm: agents change their screens with every release. One that matches no profile any more is kept as a
 * recording, in the form that `deaddrop probe --screens` judges, so that it can become a fixture as it is.
 */

/** At most so many recordings are kept (50); more of them tell nothing new. */
const MAX_RECORDINGS = 50;

/** Index row of a recording; what is expected of it is for a person to say. */
function indexRow({ agent, snapshot: { facts } }: Probe, ansi: string) {
  return {
    agent: agent ?? "none",
    version: "",
    state: "unknown",
    expected: "",
    accept: [],
    size: [facts.columns, facts.rows],
    cursor: facts.cursor,
    ansi,
    pane_current_command: facts.command,
    pane_in_mode: facts.mode === "" ? 0 : 1,
    pane_mode: facts.mode,
    alternate_on: facts.alternateScreen,
    mouse_any_flag: facts.mouse,
    pane_title: facts.title,
    process_tree: facts.processes.map(({ depth, comm, argv }) => ({ depth, comm, argv })),
  };
}

/**
 * Keeps the screen of a probe that ended as `unknown-screen`, once for equal screens.
 *
 * Requires read and write for `dir`, which is made when missing, with mode 0700.
 *
 * @returns Path of the recording; `null` when there are enough of them.
 */
export async function recordDrift(dir: string, probe: Probe): Promise<string | null> {
  const { ansi } = probe.snapshot;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(ansi))).toHex().slice(
    0,
    12,
  );
  const folder = `${dir}/${probe.agent ?? "none"}-${digest}`;
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  const kept = await Array.fromAsync(Deno.readDir(dir));
  if (kept.some(({ name }) => `${dir}/${name}` === folder)) return folder;
  if (kept.length >= MAX_RECORDINGS) return null;
  await Deno.mkdir(folder, { mode: 0o700 });
  await Deno.writeTextFile(`${folder}/screen.ansi`, ansi, { mode: 0o600 });
  const index = JSON.stringify([indexRow(probe, "screen.ansi")], null, 2) + "\n";
  await Deno.writeTextFile(`${folder}/index.json`, index, { mode: 0o600 });
  return folder;
}
