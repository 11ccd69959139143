/** Real agents from npm, at exact versions, in a cache outside the repository; each in a home of its own. */
import { dirname } from "node:path";
import type { AgentSetup, Place } from "./setups.ts";

/** Longer than the largest of them took on a slow machine. */
const INSTALL_MS = 180_000;

/** Where agents are kept between runs. */
function cacheDir(): string {
  const { DEADDROP_AGENT_CACHE, XDG_CACHE_HOME, HOME } = Deno.env.toObject();
  return DEADDROP_AGENT_CACHE ?? `${XDG_CACHE_HOME ?? `${HOME ?? "/tmp"}/.cache`}/deaddrop-agents`;
}

/**
 * Installs an agent unless it is there, and returns the path of its program. Two processes may do so at once.
 *
 * npm is given the version: left to itself it takes the newest that this Node.js fits, without a word.
 *
 * @throws {Error} when npm fails or takes longer than three minutes.
 */
export async function installAgent(setup: AgentSetup, cache = cacheDir()): Promise<string> {
  const dir = `${cache}/${setup.agent}-${setup.version}`;
  const program = `${dir}/node_modules/.bin/${setup.program}`;
  if (await exists(program)) return program;
  await Deno.mkdir(cache, { recursive: true });
  // Renamed into place when it is whole.
  const partial = await Deno.makeTempDir({ dir: cache, prefix: ".partial-" });
  try {
    const spec = `${setup.package}@${setup.version}`;
    const { success, stderr } = await new Deno.Command("npm", {
      args: ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", partial, spec],
      cwd: partial,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(INSTALL_MS),
    }).output();
    if (!success) throw new Error(`Cannot install ${spec}: ${new TextDecoder().decode(stderr).trim()}`);
    await Deno.rename(partial, dir).catch(async (error) => {
      if (!await exists(program)) throw error;
    });
  } finally {
    await Deno.remove(partial, { recursive: true }).catch(() => {});
  }
  return program;
}

/** Writes the files of an agent's home, and returns the command line that starts it there with nothing else of this environment. */
export async function agentCommand(setup: AgentSetup, program: string, place: Place): Promise<string> {
  for (const [name, content] of Object.entries(setup.files(place))) {
    await Deno.mkdir(dirname(`${place.home}/${name}`), { recursive: true });
    await Deno.writeTextFile(`${place.home}/${name}`, JSON.stringify(content));
  }
  await Deno.mkdir(place.project, { recursive: true });
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: place.home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    ...setup.env(place),
  };
  const words = [
    "env",
    "-i",
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    program,
    ...setup.args,
  ];
  return `cd ${quoted(place.project)} && exec ${words.map(quoted).join(" ")}`;
}

/** One word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
