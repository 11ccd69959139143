/**
 * Measures the dead drop, each thing beside the least that the system needs for it, taken in the same run. Prints tables;
 * never fails because something was slow.
 *
 *     deno run -A bench/drop.ts [--quick] [--json FILE] [--only TOPIC]...
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { followTopic } from "./follow.ts";
import { idleTopic } from "./idle.ts";
import type { Report, Topic } from "./_measure.ts";
import { drainTopic, dropTopic, pickupTopic } from "./messages.ts";
import { paneTopic } from "./pane.ts";
import { pendingTopic } from "./pending.ts";
import { startTopic } from "./start.ts";
import { rowTable, targetTable, verdict } from "./_table.ts";
import { wakeTopic } from "./wake.ts";

const TOPICS: Readonly<Record<string, Topic>> = {
  drop: dropTopic,
  pickup: pickupTopic,
  drain: drainTopic,
  pending: pendingTopic,
  wake: wakeTopic,
  follow: followTopic,
  idle: idleTopic,
  start: startTopic,
  pane: paneTopic,
};

/** What must be known of a machine to compare its numbers. */
function machine() {
  return {
    at: new Date().toISOString(),
    deno: Deno.version.deno,
    os: `${Deno.build.os} ${Deno.osRelease()}`,
    cores: navigator.hardwareConcurrency,
    load: Deno.loadavg()[0],
    tempDir: process.env.TMPDIR ?? "/tmp",
  };
}

function options() {
  try {
    const { values } = parseArgs({
      args: Deno.args,
      options: { quick: { type: "boolean" }, json: { type: "string" }, only: { type: "string", multiple: true } },
    });
    const { quick = false, json, only = Object.keys(TOPICS) } = values;
    const unknown = only.find((name) => !Object.hasOwn(TOPICS, name));
    if (unknown === undefined) return { quick, json, only };
    throw new Error(`Cannot measure ${JSON.stringify(unknown)}: choose from ${Object.keys(TOPICS).join(", ")}`);
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(2);
  }
}

const { quick, json, only } = options();
const before = machine();
console.log(
  `Deno ${before.deno}, ${before.os}, ${before.cores} cores, load ${before.load.toFixed(1)}, in ${before.tempDir}`,
);
const reports: Record<string, Report> = {};
for (const name of only) {
  reports[name] = await TOPICS[name](quick);
  console.log(`\n${rowTable(reports[name])}`);
}
const targets = Object.values(reports).flatMap((report) => report.targets);
if (targets.length > 0) console.log(`\n${targetTable(targets)}`);
if (json !== undefined) {
  const withVerdicts = targets.map((target) => ({ ...target, verdict: verdict(target) }));
  const rows = Object.entries(reports).flatMap(([topic, { rows }]) =>
    rows.map((row) => ({ topic, ...row, ratio: row.measured / row.limit }))
  );
  await Deno.writeTextFile(json, JSON.stringify({ ...before, quick, rows, targets: withVerdicts }, null, 2) + "\n");
}
