import { DeadDropError } from "../drop/error.ts";
import type { Finding, RootReport } from "../drop/report.ts";
import { columns } from "./columns.ts";
import { CliError, EXIT } from "./exit.ts";
import { example, type Program } from "./program.ts";
import { duration, printable } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** `doctor`: what is in this root and what needs a hand; it only reads. */
export function addDoctor(program: Program) {
  program.command("doctor")
    .description("tell what lies in the root and what needs a hand; only reads")
    .addHelpText("after", example("deaddrop doctor --dir ~/dead_drop"))
    .action(async (_, command) => {
      const { dir, json } = command.optsWithGlobals();
      const { rootOf } = await import("./place.ts");
      const { inspectRoot } = await import("../drop/inspect.ts");
      const root = rootOf(dir);
      let report: RootReport;
      try {
        report = await inspectRoot(root);
      } catch (error) {
        // Whatever the reason, the answer is that nothing could be looked at.
        throw error instanceof DeadDropError ? new CliError(EXIT.failed, error.message, { cause: error }) : error;
      }
      await (json ? printJson(report) : print(text(report)));
    });
}

const NOTE: Readonly<Record<RootReport["machineNote"], string>> = {
  present: "present",
  missing: "missing; whoever waits in this root next writes it",
  damaged: "damaged; remove it, and whoever waits in this root next writes it again",
};

function text({ root, machineNote, sessions, olderRoute, findings, moreFindings }: RootReport): string {
  const total = findings.length + moreFindings;
  const head = [
    `root          ${printable(root)}`,
    `machine note  ${NOTE[machineNote]}`,
    `older route   ${olderRoute.prompts} prompts, ${olderRoute.responses} responses`,
    `sessions      ${sessions.length}`,
    `findings      ${total === 0 ? "none: nothing needs a hand" : total}`,
  ].map((line) => `${line}\n`).join("");
  const table = columns([
    ["SESSION", "STATE", "HOST", "LAST SEEN", "DROPS", "PROMPTS", "PENDING", "STREAMING", "STALE", "DONE"],
    ...sessions.map(({ id, state, hostName, lastSeen, drops, prompts, pending, streaming, stale, done }) => [
      printable(id),
      state,
      printable(hostName ?? "-"),
      lastSeen ?? "-",
      ...[drops, prompts, pending, streaming, stale, done].map(String),
    ]),
  ]);
  const more = moreFindings === 0 ? "" : `\n… and ${moreFindings} more, not listed\n`;
  return head + (sessions.length === 0 ? "" : `\n${table}`) + findings.map((each) => entry(root, each)).join("") + more;
}

/** A finding: what and where, then what to do. */
function entry(root: string, { kind, path, ageMs, advice }: Finding): string {
  const shown = printable(path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  return `\n${kind}  ${shown}${ageMs === null ? "" : `  (${duration(ageMs)})`}\n  ${advice}.\n`;
}
