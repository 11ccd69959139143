/**
 * `deno task notebooks [--record] [name …]`: type-checks the cells of the notebooks, then runs each in a fresh kernel, in
 * order, one at a time, since kernels that start together compete for ports.
 *
 * A name is a notebook's file name or the beginning of it, such as `03`.
 *
 * @module
 */
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNotebook } from "./kernel.ts";

const folder = new URL("../notebooks/", import.meta.url);

/** Paths of the notebooks, sorted; with `names`, of those that begin with one of them. */
export function listNotebooks(names: readonly string[] = []): string[] {
  const files = Array.from(Deno.readDirSync(folder), (entry) => entry.name).filter((name) => name.endsWith(".ipynb"));
  const wanted = names.length === 0 ? files : files.filter((file) => names.some((name) => file.startsWith(name)));
  return wanted.sort().map((file) => join(fileURLToPath(folder), file));
}

/** The code of a notebook as one module that can stand in another folder. */
async function moduleOf(path: string): Promise<string> {
  const { cells } = JSON.parse(await Deno.readTextFile(path)) as {
    cells: { cell_type: string; source: string | string[] }[];
  };
  const code = cells.filter((cell) => cell.cell_type === "code").map((cell) => [cell.source].flat().join(""));
  const parts = code.map((source, i) => `// code cell ${i + 1}\n${source}\n`);
  const repository = new URL("..", folder);
  return parts.join("\n").replaceAll(/(["'])\.\.\//g, `$1${repository}`) + "\nexport {};\n";
}

/**
 * Type-checks the code cells, each notebook apart: the kernel itself checks no types.
 *
 * @returns What `deno check` says, empty when it finds nothing; the files bear the notebooks' names.
 */
export async function checkCells(paths: readonly string[]): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "deaddrop-cells-" });
  try {
    const files: string[] = [];
    for (const path of paths) {
      const file = join(dir, `${basename(path)}.ts`);
      await Deno.writeTextFile(file, await moduleOf(path));
      files.push(file);
    }
    const config = fileURLToPath(new URL("deno.json", folder));
    const args = ["check", "--quiet", "--config", config, ...files];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
    return success ? "" : new TextDecoder().decode(stderr).trim();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => arg !== "--record");
  const unknown = names.find((name) => listNotebooks([name]).length === 0);
  if (unknown !== undefined) {
    console.error(`Cannot run ${unknown}: no file in notebooks/ begins like that; give one such as 03, or --record`);
    return 2;
  }
  const paths = listNotebooks(names);
  const diagnostics = await checkCells(paths);
  if (diagnostics !== "") console.error(diagnostics);
  let failed = 0;
  for (const path of paths) {
    const name = basename(path);
    const startedAt = performance.now();
    const run = diagnostics.includes(`${name}.ts`)
      ? { state: "failed", message: `${name}: its cells do not type-check, see above` } as const
      : await runNotebook(path, args.includes("--record") ? ["--record"] : []);
    if (run.state === "failed") failed++;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(run.state === "passed" ? `passed ${name} in ${seconds} s` : `failed ${run.message}`);
  }
  console.log(`${paths.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
