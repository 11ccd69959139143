/** Directories to measure on, made with bare calls. */

/** A temporary directory that is removed at the end of its block. */
export async function tempDir(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "deaddrop-bench-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** The `index`-th name of a series that sorts as it was made, in the form of the library's own ids. */
export function id(index: number): string {
  return `20260101T000000000-bench-${index.toString(16).padStart(6, "0")}`;
}

/** Writes messages `from` to `to` of the series into `dir`; those that are there stay. */
export function fill(dir: string, from: number, to: number): void {
  Deno.mkdirSync(dir, { recursive: true });
  for (let index = from; index < to; index++) Deno.writeTextFileSync(`${dir}/${id(index)}.md`, `message ${index}\n`);
}
