/**
 * Installs what the tests need beside Deno itself: Debian packages with apt, npm packages into Deno's cache. Says what first,
 * does nothing when all is there, and prints what to install where there is no apt.
 *
 * deno task setup
 */

/** A program or Python module that must be there, and the Debian package that brings it. */
const NEEDS = [
  { package: "tmux", probe: ["tmux", "-V"] },
  { package: "rsync", probe: ["rsync", "--version"] },
  { package: "util-linux", probe: ["unshare", "--version"] },
  { package: "jupyter-core", probe: ["/usr/bin/python3", "-c", "import jupyter_core"] },
  { package: "python3-nbclient", probe: ["/usr/bin/python3", "-c", "import nbclient"] },
] as const;

async function works([command, ...args]: readonly string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output();
    return success;
  } catch {
    return false; // not installed
  }
}

async function run(command: string[]): Promise<void> {
  console.log(`setup: ${command.join(" ")}`);
  const [name, ...args] = command;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const { code } = await new Deno.Command(name, { args, env, stdin: "null", stdout: "null" }).spawn().status;
  if (code === 0) return;
  console.error(`setup: that failed with code ${code}; install by hand: ${missing.join(" ")}`);
  Deno.exit(1);
}

const missing: string[] = [];
for (const need of NEEDS) if (!await works(need.probe)) missing.push(need.package);
if (missing.length > 0) {
  console.log(`setup: the tests need ${missing.join(", ")}`);
  const sudo = Deno.build.os !== "windows" && Deno.uid() !== 0 ? ["sudo"] : [];
  if (!await works(["apt-get", "--version"]) || (sudo.length > 0 && !await works(["sudo", "--version"]))) {
    console.error(`setup: no apt-get here that may be used; install these packages by hand: ${missing.join(" ")}`);
    Deno.exit(1);
  }
  await run([...sudo, "apt-get", "update"]);
  await run([...sudo, "apt-get", "install", "-y", "--no-install-recommends", ...missing]);
  console.log("setup: done");
}

/** Whether Deno's cache holds the registry entry of every npm package that has peer dependencies. */
async function npmIsCached(): Promise<boolean> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout)) as { npmCache: string };
  const lock = JSON.parse(await Deno.readTextFile(new URL("../deno.lock", import.meta.url)));
  const registries = await Array.fromAsync(Deno.readDir(npmCache)).catch(() => []);
  for (const [specifier, resolved] of Object.entries(lock.specifiers as Record<string, string>)) {
    const name = /^npm:(.+)@/.exec(specifier)?.[1];
    if (name === undefined || !resolved.includes("_")) continue; // the peers stand behind an underscore
    const entries = registries.map(({ name: host }) => Deno.lstat(`${npmCache}/${host}/${name}/registry.json`));
    if (!(await Promise.allSettled(entries)).some(({ status }) => status === "fulfilled")) return false;
  }
  return true;
}

/** The registry entries are small; where they do not come within this time (20 s), everything works, only less quietly. */
const REGISTRY_MS = 20_000;

// `deno task` fetches packages without their registry entries. Each start then asks for those of packages with peer
// dependencies, in the background, and says so on stderr, where tests expect the program's own words; a program that ends
// before the answer leaves the question to the next one. Loading the program here and waiting asks once and for all.
if (!await npmIsCached()) {
  console.log("setup: downloading what Deno needs to know of the npm packages in deno.json");
  await import("../cli.ts");
  const deadline = performance.now() + REGISTRY_MS;
  while (!await npmIsCached() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
}
