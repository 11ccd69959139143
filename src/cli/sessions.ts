import type { SessionInfo } from "../drop/session.ts";
import { columns } from "./columns.ts";
import { commaList } from "./options.ts";
import { example, type Program } from "./program.ts";
import { duration, note, printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `sessions`: who can be asked here. */
export function addSessions(program: Program) {
  program.command("sessions")
    .description("list the sessions of the root: id, state, host, when last seen")
    .option("--require <names>", "only those with one of these directories, such as inbox,outbox", commaList)
    .addHelpText("after", example("deaddrop sessions --require inbox,outbox"))
    .action(async (_, command) => {
      const { dir, json, require } = command.optsWithGlobals();
      const { rootOf } = await import("./place.ts");
      const { listSessions, sessionInfo } = await import("../drop/session.ts");
      const root = rootOf(dir);
      const sessions: SessionInfo[] = [];
      for (const id of await listSessions(root, { require })) {
        try {
          sessions.push(await sessionInfo(root, id));
        } catch (error) {
          note((error as Error).message); // one session that cannot be looked at must not hide the others
        }
      }
      await (json ? printJson(sessions) : print(table(sessions)));
    });
}

function table(sessions: readonly SessionInfo[]): string {
  return columns(sessions.map(({ id, state, hostName, quietMs }) => [
    printable(id),
    state,
    printable(hostName ?? "-"),
    quietMs === null ? "-" : `${duration(quietMs)} ago`,
  ]));
}
