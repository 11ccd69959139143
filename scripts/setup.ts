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

// Cached ahead, so that no test sees a download's progress where it expects a program's own words.
const npm = await new Deno.Command(Deno.execPath(), { args: ["install", "--quiet"] }).spawn().status;
if (!npm.success) {
  console.error("setup: the npm packages of deno.json could not be downloaded; connect to a registry and try again");
  Deno.exit(1);
}
