import { pendingPrompts } from "../mod.ts";
import { type Report, type Row, short, sideBySide, type Target, timed } from "./_measure.ts";
import { id, tempDir } from "./_tree.ts";

/** What is left to answer after a long history: one unanswered prompt among many answered ones. */

/** A session as a long history leaves it: `answered` pairs of a prompt's directory and a reply, and one prompt more. */
function history(session: string, answered: number): void {
  for (const name of ["inbox", "outbox", ".deaddrop"]) Deno.mkdirSync(`${session}/${name}`, { recursive: true });
  for (let index = 0; index <= answered; index++) {
    Deno.mkdirSync(`${session}/inbox/${id(index)}`);
    if (index < answered) Deno.writeTextFileSync(`${session}/outbox/${id(index)}.md`, "\n---DONE---\n");
  }
  const last = `${session}/inbox/${id(answered)}`;
  Deno.writeTextFileSync(`${last}/.manifest.json`, `{"v":1,"files":[]}\n`);
}

async function pendingRow(answered: number, rounds: number): Promise<Row> {
  await using temp = await tempDir();
  const session = `${temp.path}/lab`;
  history(session, answered);
  const times = await sideBySide(
    rounds,
    () =>
      timed(async () => {
        const ids = await pendingPrompts(temp.path, "lab");
        if (ids.length !== 1) throw new Error(`${ids.length} prompts are pending; there is one`);
      }),
    () =>
      timed(async () => {
        for (const name of ["inbox", "outbox"]) await Array.fromAsync(Deno.readDir(`${session}/${name}`));
      }),
  );
  return { what: `pendingPrompts, ${short(answered)} answered`, ...times, unit: "ms", limitIs: "two bare listings" };
}

/** `pendingPrompts` by the length of the history. */
export async function pendingTopic(quick: boolean): Promise<Report> {
  const sizes = quick ? [100, 1000] : [1000, 10_000, 100_000];
  const rows: Row[] = [];
  for (const answered of sizes) rows.push(await pendingRow(answered, quick ? 9 : 11));
  const { measured, limit } = rows.at(-1)!;
  const target: Target = {
    what: `pendingPrompts, ${short(sizes.at(-1)!)} answered / two bare listings`,
    measured: measured / limit,
    most: 2,
    unit: "×",
  };
  return { rows, targets: [target] };
}
