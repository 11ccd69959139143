/**
 * `deno task kernel [command …]`: the Deno kernel of this checkout, visible to Jupyter without a file in anybody's home.
 *
 * Without a command it checks that Jupyter sees the kernel, starts it once, and prints the two lines that do the same for
 * a shell of your own. With one, such as `deno task kernel jupyter notebook`, it runs that.
 *
 * @module
 */
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));

/** The system's own Python, for which Debian packages nbclient; a bare `python3` may be another one without it. */
const PYTHON = "/usr/bin/python3";

const FIND_KERNEL = "import nbclient, jupyter_client.kernelspec as k; print(k.get_kernel_spec('deno').resource_dir)";

/** What a Jupyter client needs to find the kernel, and the kernel to find this very Deno. */
export function kernelEnv(): { JUPYTER_PATH: string; PATH: string } {
  const before = (name: string) => Deno.env.get(name)?.split(delimiter).filter((path) => path !== "") ?? [];
  return {
    JUPYTER_PATH: [join(repository, "jupyter"), ...before("JUPYTER_PATH")].join(delimiter),
    PATH: [dirname(Deno.execPath()), ...before("PATH")].join(delimiter),
  };
}

/** How one run of a notebook ended. */
export type NotebookRun =
  | { readonly state: "passed" }
  /** `message` names the cell, or says that no kernel started. */
  | { readonly state: "failed"; readonly message: string };

/**
 * Runs a notebook in a fresh kernel; see `run_notebook.py`, which bounds every wait.
 *
 * @param path The notebook.
 * @param args Further arguments, such as `--record`.
 * @param env Further environment of the runner and its kernel.
 */
export async function runNotebook(
  path: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<NotebookRun> {
  const { success, stderr } = await python([join(repository, "scripts/run_notebook.py"), path, ...args], env);
  return success ? { state: "passed" } : { state: "failed", message: stderr };
}

async function python(args: string[], env: Readonly<Record<string, string>> = {}) {
  try {
    const { success, stdout, stderr } = await new Deno.Command(PYTHON, { args, env: { ...kernelEnv(), ...env } })
      .output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
    return { success, stdout: text(stdout), stderr: text(stderr) };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { success: false, stdout: "", stderr: `Cannot find ${PYTHON}: run \`deno task setup\`` };
  }
}

/** Writes a notebook of code cells alone, for the kernel named `deno`. */
export async function writeNotebook(path: string, cells: readonly string[]): Promise<void> {
  const notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { display_name: "Deno", language: "typescript", name: "deno" } },
    cells: cells.map((source, i) => (
      { cell_type: "code", id: `cell-${i + 1}`, execution_count: null, metadata: {}, outputs: [], source }
    )),
  };
  await Deno.writeTextFile(path, JSON.stringify(notebook, null, 1) + "\n");
}

/** Looks for the kernel and starts it; prints what it found. Returns the exit code. */
async function check(): Promise<number> {
  const found = await python(["-c", FIND_KERNEL]);
  if (!found.success) {
    const why = found.stderr.split("\n").at(-1);
    console.error(`Cannot find the Deno kernel with ${PYTHON}: ${why}; run \`deno task setup\``);
    return 1;
  }
  console.log(`Jupyter sees the Deno kernel in ${found.stdout}`);
  const dir = await Deno.makeTempDir({ prefix: "deaddrop-kernel-" });
  try {
    const path = join(dir, "check.ipynb");
    await writeNotebook(path, ["1+1"]);
    const run = await runNotebook(path, ["--record"]);
    if (run.state === "failed") {
      console.error(run.message);
      return 1;
    }
    const { cells } = JSON.parse(await Deno.readTextFile(path));
    console.log(`It starts: 1+1 is ${cells[0].outputs[0].data["text/plain"]} in Deno ${Deno.version.deno}`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  console.log(`
To have it in a shell of your own:

  export JUPYTER_PATH="${join(repository, "jupyter")}\${JUPYTER_PATH:+:$JUPYTER_PATH}"
  export PATH="${dirname(Deno.execPath())}:$PATH"`);
  return 0;
}

/** Runs a command that sees the kernel. Returns its exit code. */
async function runCommand(command: string, args: string[]): Promise<number> {
  Deno.addSignalListener("SIGINT", () => {}); // Ctrl-C reaches the command as well, and it decides
  try {
    return (await new Deno.Command(command, { args, env: kernelEnv() }).spawn().status).code;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.error(`Cannot run ${command}: it is not installed; for Jupyter's own, run \`deno task setup\``);
    return 1;
  }
}

if (import.meta.main) {
  const [command, ...args] = Deno.args;
  Deno.exit(command === undefined ? await check() : await runCommand(command, args));
}
