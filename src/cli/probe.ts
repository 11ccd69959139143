import type { Probe } from "../pane/probe.ts";
import { CliError, EXIT } from "./exit.ts";
import { interrupted } from "./interrupt.ts";
import { example, type Program } from "./program.ts";
import { note, printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `probe`: what one pane is, with the evidence; or what each screen of a folder of recordings is. */
export function addProbe(program: Program) {
  program.command("probe [target]")
    .description("tell whether the agent in a pane waits for a prompt, and why; presses nothing")
    .option("--socket <name>", "the server: a name or a path (default: this shell's own, else tmux's default)")
    .option("--screens <dir>", "judge recorded screens instead: a folder with an index.json")
    .addHelpText("after", example("deaddrop probe lab --json"))
    .action(async (target, _, command) => {
      const { json, socket, screens } = command.optsWithGlobals();
      if ((target === undefined) === (screens === undefined)) {
        throw new CliError(EXIT.refused, "Cannot probe: give one target, or --screens with a folder of recordings");
      }
      if (screens !== undefined) return await probeRecorded(screens, json ?? false);
      const { profilesOf, socketOf } = await import("./pane_place.ts");
      const { openTmux } = await import("../pane/tmux.ts");
      const { processTable } = await import("../pane/process_tree.ts");
      const { resolveSessionPane } = await import("../pane/target.ts");
      const { recogniseAgent } = await import("../pane/recognise.ts");
      const { probePane } = await import("../pane/probe.ts");
      const { coarse } = await import("../pane/judge.ts");
      const profiles = await profilesOf();
      const processes = processTable();
      await using multiplexer = openTmux({ socket: socketOf(socket) });
      const options = { multiplexer, processes, profiles, signal: interrupted };
      const found = await resolveSessionPane(target!, { ...options, recognise: recogniseAgent(profiles) });
      if (!found.ok) throw new CliError(EXIT.failed, found.message);
      const probe = await probePane(found.pane.ref, options);
      if (!probe.ok) throw new CliError(EXIT.failed, probe.message);
      const { state, agent, evidence, composer } = probe.value;
      const pane = found.pane.ref.target;
      if (state === "unknown-screen") await keepDrift(probe.value);
      if (json) return await printJson({ pane, agent, state, coarse: coarse(state), composer, evidence });
      await print(`${pane} ${agent ?? "-"} ${state}\n${evidence.map((each) => `  ${printable(each)}\n`).join("")}`);
    });
}

async function keepDrift(probe: Probe): Promise<void> {
  const { recordDrift } = await import("../pane/drift.ts");
  const { stateDir } = await import("./pane_state.ts");
  const path = await recordDrift(`${stateDir()}/drift`, probe);
  if (path !== null) note(`This screen matches no profile; it is kept as a recording in ${path}`);
}

async function probeRecorded(dir: string, json: boolean): Promise<void> {
  const { profilesOf } = await import("./pane_place.ts");
  const { probeScreens, screenText } = await import("./probe_screens.ts");
  const report = await probeScreens(dir, await profilesOf());
  await (json ? printJson(report) : print(screenText(report)));
}
