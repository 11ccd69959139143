import { isAbsolute, resolve } from "node:path";
import { denoHost, granted } from "../drop/host.ts";
import { checkName, quote } from "../drop/names.ts";
import { join, lstatOrNull } from "../drop/paths.ts";
import { defaultRoot } from "../drop/responder.ts";
import { listSessions, sessionId } from "../drop/session.ts";
import { refused } from "./exit.ts";
import { note } from "./stderr.ts";

/** Which root and which session a command means. */

const VARIABLE = "CLAUDE_CODE_SESSION_ID";

/** The absolute path of the root: `--dir`, else `$DEADDROP_DIR`, else `~/dead_drop`. */
export function rootOf(dir: string | undefined): string {
  const root = dir ?? defaultRoot();
  if (root === "") throw refused('Cannot use "" as --dir: give a directory');
  return isAbsolute(root) ? root : resolve(root);
}

function sessionFromEnv(): string | undefined {
  return granted({ name: "env", variable: VARIABLE }) ? Deno.env.get(VARIABLE) || undefined : undefined;
}

/** The session that was named, or that of the environment. */
export function sessionOf(session: string | undefined): string {
  const id = session ?? sessionFromEnv();
  if (id === undefined) throw refused(`Cannot choose a session: pass --session or set ${VARIABLE}`);
  return checkName(id, "session id");
}

/** As {@linkcode sessionOf}, and without either a new random one, which is said on stderr. */
export function sessionToServe(session: string | undefined): string {
  if (session !== undefined || sessionFromEnv() !== undefined) return sessionOf(session);
  const id = sessionId();
  note(`Serving the new session ${id}, since none was named`);
  return id;
}

/** Whether the inbox of a session holds a prompt. */
export async function holds(root: string, session: string, promptId: string): Promise<boolean> {
  const info = await lstatOrNull(denoHost, join(root, session, "inbox", promptId)).catch(() => null);
  return info?.isDirectory ?? false; // a session that cannot be looked at holds nothing
}

/**
 * The session of a prompt: the one that was named; that of the environment if it holds the prompt; the only one that does;
 * else that of the environment.
 */
export async function sessionOfPrompt(root: string, promptId: string, session: string | undefined): Promise<string> {
  checkName(promptId, "prompt id");
  if (session !== undefined) return sessionOf(session);
  const own = sessionFromEnv();
  if (own !== undefined && await holds(root, sessionOf(own), promptId)) return own;
  const holders: string[] = [];
  for (const id of await listSessions(root)) if (await holds(root, id, promptId)) holders.push(id);
  if (holders.length === 1) return holders[0];
  if (own !== undefined) return own;
  const found = holders.length === 0 ? "no session" : `each of ${holders.join(", ")}`;
  throw refused(`Cannot choose a session: ${found} under ${root} holds the prompt ${quote(promptId)}; pass --session`);
}
