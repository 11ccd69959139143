/** The notebooks on the real Deno kernel, and the runner that is trusted to turn red. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { type NotebookRun, runNotebook, writeNotebook } from "../scripts/kernel.ts";
import { checkCells, listNotebooks } from "../scripts/notebooks.ts";

for (const path of listNotebooks()) {
  const name = basename(path);
  Deno.test(`notebook ${name}: every cell runs in a fresh kernel, and its assertions hold`, async () => {
    assert.deepEqual(await runNotebook(path), { state: "passed" });
  });
}

Deno.test("notebooks: all cells type-check", async () => {
  assert.equal(await checkCells(listNotebooks()), "");
});

/** Runs `work` in a temporary directory. */
async function inTempDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await Deno.makeTempDir({ prefix: "deaddrop-" });
  try {
    return await work(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Runs throw-away cells. */
async function runCells(cells: readonly string[], ...args: string[]): Promise<NotebookRun> {
  return await inTempDir(async (dir) => {
    const path = join(dir, "cells.ipynb");
    await writeNotebook(path, cells);
    return await runNotebook(path, args);
  });
}

/** A kernel named `deno` that is started by a shell script, for starts that go wrong. */
async function writeKernel(jupyterPath: string, script: string): Promise<void> {
  const dir = join(jupyterPath, "kernels", "deno");
  await Deno.mkdir(dir, { recursive: true });
  const spec = { argv: ["sh", "-c", script, "{connection_file}"], display_name: "Deno", language: "typescript" };
  await Deno.writeTextFile(join(dir, "kernel.json"), JSON.stringify(spec));
}

function failure(run: NotebookRun): string {
  assert(run.state === "failed", "the notebook passed");
  return run.message;
}

Deno.test("notebook type check: a wrong type in a cell is found, and the notebook is named", async () => {
  const diagnostics = await inTempDir(async (dir) => {
    const path = join(dir, "typed.ipynb");
    await writeNotebook(path, ["const n = 1;", 'const m: number = "one";\nconsole.log(n + m);']);
    return await checkCells([path]);
  });
  assert.match(diagnostics, /Type 'string' is not assignable to type 'number'/);
  assert.match(diagnostics, /typed\.ipynb\.ts/);
});

Deno.test("notebook runner: a cell that ends the kernel is reported, with its number and first line (NBTEST-01)", async () => {
  const message = failure(await runCells(["const code = 3;", "Deno.exit(code);\n// gone", "console.log(code)"]));
  assert.match(message, /^cells\.ipynb: the kernel died in code cell 2 `Deno\.exit\(code\);`/);
});

Deno.test("notebook runner: a cell that never ends is stopped at the limit and named (NBTEST-02)", async () => {
  const message = failure(
    await runCells(["const forever = new Promise(() => {});", "await forever;"], "--cell-seconds", "2"),
  );
  assert.match(message, /^cells\.ipynb: code cell 2 `await forever;` did not end within 2 s$/);
});

Deno.test("notebook runner: a cell that throws fails the notebook, and later cells do not run (DENOJUP-02)", async () => {
  const message = failure(await runCells(['throw new Error("boom");', "Deno.exit(3)"]));
  assert.match(message, /^cells\.ipynb: code cell 1 `throw new Error\("boom"\);` failed: Error: boom/);
});

Deno.test("notebook runner: an error among the outputs counts although the kernel calls the cell well (DENOJUP-02)", async () => {
  const error = { ename: "Error", evalue: "shown only", traceback: [] };
  const message = failure(await runCells([`await Deno.jupyter.broadcast("error", ${JSON.stringify(error)});`]));
  assert.match(message, /code cell 1 .* failed: Error: shown only$/);
});

Deno.test("notebook runner: a cell that cannot be parsed fails the notebook", async () => {
  assert.match(failure(await runCells(["const x ="])), /^cells\.ipynb: code cell 1 `const x =` failed: /);
});

Deno.test("notebook runner: outputs that come after the cell has ended are recorded, with temporary paths masked", async () => {
  const outputs = await inTempDir(async (dir) => {
    const path = join(dir, "cells.ipynb");
    await writeNotebook(path, [
      "for (let i = 0; i < 50; i++) console.log(i);",
      "console.log(await Deno.makeTempDir());",
    ]);
    assert.deepEqual(await runNotebook(path, ["--record"]), { state: "passed" });
    const { cells } = JSON.parse(await Deno.readTextFile(path)) as {
      cells: { outputs: { text: string[] }[]; metadata: unknown }[];
    };
    assert.deepEqual(cells.map((cell) => cell.metadata), [{}, {}]);
    return cells.map((cell) => cell.outputs.map((output) => output.text.join("")));
  });
  assert.deepEqual(outputs, [[Array.from({ length: 50 }, (_, i) => `${i}\n`).join("")], ["<tmp>\n"]]);
});

Deno.test("notebook runner: a kernel sees neither the caller's home nor its session (NBTEST-03)", async () => {
  await inTempDir(async (dir) => {
    const path = join(dir, "cells.ipynb");
    await writeNotebook(path, [
      `const seen = ["HOME", "DEADDROP_DIR", "CLAUDE_CODE_SESSION_ID"].map((name) => Deno.env.get(name));
       if (seen.includes(${JSON.stringify(dir)})) throw new Error(String(seen));`,
    ]);
    const env = { HOME: dir, DEADDROP_DIR: dir, CLAUDE_CODE_SESSION_ID: dir };
    assert.deepEqual(await runNotebook(path, [], env), { state: "passed" });
    assert.deepEqual(Array.from(Deno.readDirSync(dir), (entry) => entry.name), ["cells.ipynb"]);
  });
});

Deno.test("notebook runner: a kernel that fails to start once is started again (NBTEST-04)", async () => {
  await inTempDir(async (dir) => {
    const path = join(dir, "cells.ipynb");
    await writeNotebook(path, ["1 + 1"]);
    await writeKernel(
      dir,
      `[ -e "${dir}/tried" ] && exec deno jupyter --kernel --conn "$0"; touch "${dir}/tried"; exit 1`,
    );
    assert.deepEqual(await runNotebook(path, [], { JUPYTER_PATH: dir }), { state: "passed" });
  });
});

Deno.test("notebook runner: a kernel that never starts is reported as that, not as a cell's failure (NBTEST-04)", async () => {
  await inTempDir(async (dir) => {
    const path = join(dir, "cells.ipynb");
    await writeNotebook(path, ["1 + 1"]);
    await writeKernel(dir, "echo no such luck >&2; exit 1");
    const message = failure(await runNotebook(path, [], { JUPYTER_PATH: dir }));
    assert.match(message, /cells\.ipynb: no kernel started, so no cell was run/);
    assert.match(message, /no such luck/);
  });
});
