import { CliError, EXIT } from "./exit.ts";
import { example, type Program, SESSION_HELP } from "./program.ts";
import { noteSkipped, printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `pickup`: takes the oldest message of a session; it is removed only after it was written to stdout. */
export function addPickup(program: Program) {
  program.command("pickup")
    .description("print the oldest message of a session, byte for byte, then remove it")
    .option("--session <id>", SESSION_HELP)
    .option("--keep", "only look: leave it where it is")
    .addHelpText("after", example("deaddrop pickup --session lab > message"))
    .action(async (_, command) => {
      const { dir, json, session, keep } = command.optsWithGlobals();
      const { rootOf, sessionOf } = await import("./place.ts");
      const id = sessionOf(session);
      const taken = await takeOldest(rootOf(dir), id, keep ?? false);
      if (taken === null) {
        throw new CliError(
          EXIT.nothing,
          `Nothing is pending for ${printable(id)}; wait for it with \`deaddrop watch\``,
        );
      }
      try {
        await (json ? printJson({ session: id, ...taken.drop }) : print(taken.drop.content));
      } catch (error) {
        await taken.putBack();
        throw error;
      }
      await taken.ack();
    });
}

async function takeOldest(root: string, session: string, keep: boolean) {
  const { sessionDir } = await import("../drop/session.ts");
  const { look, take, waiting } = await import("../drop/drop.ts");
  const { denoHost } = await import("../drop/host.ts");
  const { lstatOrNull } = await import("../drop/paths.ts");
  const dir = await sessionDir(denoHost, root, session);
  if (await lstatOrNull(denoHost, dir) === null) return null;
  const { names, claims } = await waiting(denoHost, dir);
  for (const name of keep ? names : [...claims, ...names]) {
    const taken = await (keep ? look : take)(denoHost, dir, name, { onSkip: noteSkipped });
    if (taken !== null) return taken;
  }
  return null;
}
