/**
 * Which agent has a pane's keys. By the processes in the foreground, their names AND arguments: half of the agents are called
 * `node`, a stopped agent is still under its pane, and a crashed one leaves a perfect screen behind.
 */
import type { PaneFacts, PaneProcess } from "./facts.ts";
import type { Profile } from "./profile.ts";

/** Who has the keys. */
export type Holder =
  /** `suspects` are several, or one not `certain`, where only a name that several share is known. */
  | {
    readonly kind: "agent";
    readonly suspects: readonly Profile[];
    readonly certain: boolean;
    readonly because: string;
  }
  | { readonly kind: "shell" | "other"; readonly because: string };

const SHELLS = /^-?(?:ba|z|fi|da|k|mk|tc|c|a|nu|elvi|xon)?sh$|^(?:nu|pwsh|powershell|login)$/;

/** Programs that take the whole screen from an agent that started them. */
const SCREEN_TAKERS = /^(?:vim?|nvim|view|nano|pico|emacs|micro|hx|helix|less|more|most|man|top|htop|fzf)$/;

/** Names of the runtimes under which agents run; `MainThread` is that of newer Node.js. */
const RUNTIMES = /^(?:node|MainThread|bun|deno)$/;

/**
 * Who has the keys of a pane.
 *
 * @example
 * ```ts
 * import { holderOf } from "./agent.ts";
 * import { readProfiles } from "./profile.ts";
 * const read = readProfiles();
 * const shell = { depth: 0, comm: "bash", argv: ["bash"], pid: 1, foreground: true };
 * if (read.ok) console.log(holderOf({ command: "bash", processes: [shell] }, read.profiles).kind); // shell
 * ```
 */
export function holderOf(facts: Pick<PaneFacts, "command" | "processes">, profiles: readonly Profile[]): Holder {
  const foreground = inForeground(facts);
  const found = foreground.flatMap((process) => {
    const suspects = profiles.map((profile) => ({ profile, match: matches(process, profile) }));
    const certain = suspects.filter(({ match }) => match === "certain");
    const those = certain.length > 0 ? certain : suspects.filter(({ match }) => match === "possible");
    return those.length === 0
      ? []
      : [{ process, suspects: those.map(({ profile }) => profile), certain: certain.length > 0 }];
  });
  if (found.length === 0) {
    return foreground.every((process) => SHELLS.test(process.comm)) &&
        (foreground.length > 0 || SHELLS.test(facts.command))
      ? { kind: "shell", because: `the shell ${facts.command} is in the foreground` }
      : { kind: "other", because: `${facts.command || "nothing known"} is in the foreground, which is no known agent` };
  }
  const certain = found.filter((each) => each.certain);
  const from = certain.length > 0 ? certain : found;
  // The outermost one draws the screen; another agent below it is a tool of its.
  const depth = Math.min(...from.map(({ process }) => process.depth));
  const outer = from.filter(({ process }) => process.depth === depth);
  const taker = foreground.find((process) => process.depth > depth && SCREEN_TAKERS.test(process.comm));
  if (taker !== undefined) return { kind: "other", because: `${taker.comm} has taken the screen from the agent` };
  return {
    kind: "agent",
    suspects: [...new Set(outer.flatMap(({ suspects }) => suspects))],
    certain: certain.length > 0,
    because: `${[outer[0].process.comm, ...outer[0].process.argv.slice(0, 2)].join(" ")} is in the foreground`,
  };
}

/** The processes that may read the keys; where the kernel was not asked, by the name that the terminal gives. */
function inForeground({ command, processes }: Pick<PaneFacts, "command" | "processes">): readonly PaneProcess[] {
  if (processes.some((process) => process.foreground !== null)) {
    return processes.filter((process) => process.foreground);
  }
  const shell = SHELLS.test(command);
  return processes.filter((process) => SHELLS.test(process.comm) === shell);
}

function matches(process: PaneProcess, { process: sign }: Profile): "certain" | "possible" | "no" {
  const { comm, argv } = process;
  if (argv.length === 0) {
    if (sign.names.includes(comm)) return "certain";
    return sign.runtime && RUNTIMES.test(comm) ? "possible" : "no";
  }
  if (sign.not?.test(argv.join(" "))) return "no";
  const script = RUNTIMES.test(argv[0].replace(/^.*\//, ""))
    ? argv.slice(1).find((word) => !word.startsWith("-"))
    : undefined;
  return sign.program.test(script ?? argv[0]) ? "certain" : "no";
}
