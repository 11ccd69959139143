import type { Injection } from "../pane/inject.ts";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { interrupted } from "./interrupt.ts";
import { example, type Program } from "./program.ts";
import { printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";
import { textOrStdin } from "./stdin.ts";

/** What an outcome is to a shell: only `submitted` is success, and a retry is safe only where nothing was typed. */
const EXITS: Readonly<Record<Injection["state"], ExitCode>> = {
  submitted: EXIT.done,
  "dry-run": EXIT.done,
  refused: EXIT.refused,
  held: EXIT.held,
  typed: EXIT.unknown,
  unknown: EXIT.unknown,
};

/** `inject`: types one message into an agent's pane, by hand, and says how far it provably came. */
export function addInject(program: Program) {
  program.command("inject <target> [text]")
    .description("type a message into the pane of an agent that waits for one, and prove that it took it")
    .option("--socket <name>", "the server: a name or a path (default: this shell's own, else tmux's default)")
    .option("--dry-run", "stop before the first key and show what would be typed")
    .addHelpText("after", example("deaddrop inject lab < message.md"))
    .action(async (target, text, _, command) => {
      const { json, socket, dryRun } = command.optsWithGlobals();
      const { profilesOf, socketOf } = await import("./pane_place.ts");
      const { filePorts, messageFile } = await import("./pane_state.ts");
      const { openTmux } = await import("../pane/tmux.ts");
      const { processTable } = await import("../pane/process_tree.ts");
      const { resolveSessionPane } = await import("../pane/target.ts");
      const { recogniseAgent } = await import("../pane/recognise.ts");
      const { inject } = await import("../pane/inject.ts");
      const content = await textOrStdin(text);
      const message = typeof content === "string" ? content : new TextDecoder().decode(content);
      const profiles = await profilesOf();
      const processes = processTable();
      await using multiplexer = openTmux({ socket: socketOf(socket) });
      const options = { multiplexer, processes, profiles, signal: interrupted };
      const found = await resolveSessionPane(target, { ...options, recognise: recogniseAgent(profiles) });
      if (!found.ok) throw new CliError(EXIT.held, `Held: ${found.message}`);
      const deliveryId = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
      const file = messageFile(deliveryId);
      const result = await inject(found.pane.ref, message, {
        ...options,
        ports: filePorts(profiles),
        deliveryId,
        file,
        dryRun,
      });
      const { state, evidence } = result;
      const reason = result.state === "held" ? ` (${result.reason})` : "";
      if (json) await printJson({ deliveryId, pane: found.pane.ref.target, ...result });
      else if (result.state === "dry-run") await print(`${printable(result.text)}\n`);
      else await print(`${state}${reason} ${deliveryId}\n${evidence.map((each) => `  ${printable(each)}\n`).join("")}`);
      if (EXITS[state] !== EXIT.done) throw new CliError(EXITS[state], `The message is ${state}${reason}`);
    });
}
