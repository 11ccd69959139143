import { holderOf } from "./agent.ts";
import type { Profile } from "./profile.ts";
import type { RecogniseAgent } from "./target.ts";

/** Recognises agents for `resolveSessionPane` by the processes that hold the keys; several suspects are named together. */
export function recogniseAgent(profiles: readonly Profile[]): RecogniseAgent {
  return (processes, { command }) => {
    const holder = holderOf({ command, processes }, profiles);
    return holder.kind === "agent" ? holder.suspects.map(({ agent }) => agent).join(" or ") : null;
  };
}
