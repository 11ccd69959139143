import { example, type Program, SESSION_HELP } from "./program.ts";
import { print, printJson } from "./stdout.ts";
import { textOrStdin } from "./stdin.ts";

/** `drop`: leaves a message for a session. */
export function addDrop(program: Program) {
  program.command("drop [text]")
    .description("leave a message for a session; prints its path")
    .option("--session <id>", SESSION_HELP)
    .option("--name <name>", "its file name (default: one that sorts by time)")
    .option("--replace", "replace a message of that name that was not picked up yet")
    .option("--no-durable", "do not wait until it is on the disk")
    .addHelpText("after", example('deaddrop drop "the run diverged" --session lab'))
    .action(async (text, _, command) => {
      const { dir, json, session, name, replace, durable } = command.optsWithGlobals();
      const { rootOf, sessionOf } = await import("./place.ts");
      const { sessionDir } = await import("../drop/session.ts");
      const { drop } = await import("../drop/drop.ts");
      const { denoHost } = await import("../drop/host.ts");
      const to = await sessionDir(denoHost, rootOf(dir), sessionOf(session));
      const path = await drop(to, await textOrStdin(text), { name, replace, durable });
      await (json ? printJson({ path }) : print(`${path}\n`));
    });
}
