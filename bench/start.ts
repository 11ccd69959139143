import { type Report, type Row, sideBySide, timed } from "./_measure.ts";
import { tempDir } from "./_tree.ts";

/** Start-up: what the program and the library add to a bare start of Deno. */

const here = (path: string) => new URL(`../${path}`, import.meta.url).pathname;

async function run(...args: string[]): Promise<number> {
  return await timed(async () => {
    const { success } = await new Deno.Command(Deno.execPath(), { args: ["run", "-A", "--no-check", ...args] })
      .output();
    if (!success) throw new Error(`deno run ${args.join(" ")} failed`);
  });
}

/** Wall time of `deaddrop --version` and of an import of the library. */
export async function startTopic(quick: boolean): Promise<Report> {
  await using temp = await tempDir();
  const empty = `${temp.path}/empty.ts`;
  Deno.writeTextFileSync(empty, "");
  const starts = {
    "start, deaddrop --version": [here("cli.ts"), "--version"],
    "start, import of mod.ts": [here("mod.ts")],
  };
  const rows: Row[] = [];
  for (const [what, args] of Object.entries(starts)) {
    const times = await sideBySide(quick ? 1 : 11, () => run(...args), () => run(empty));
    rows.push({ what, ...times, unit: "ms", limitIs: "deno run of an empty file" });
  }
  return { rows, targets: [] };
}
