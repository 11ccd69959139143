/**
 * The main job, from end to end: makes a root, starts a responder as another process, asks it about a text and a picture,
 * and shows the answer as it is written.
 *
 * deno task demo ["question" [file…]]
 */
import { dropPrompt, followReply, listSessions, replyState } from "../../mod.ts";
import { dotPng } from "./dot_png.ts";

/** The answer must be there by then; the responder needs a few seconds. */
const TIMEOUT_MS = 60_000;

const say = (text: string) => console.log(`\n# ${text}`);
const [question = "What is in this picture, and how long is my note?", ...paths] = Deno.args;

const files: Record<string, string | Uint8Array> = { "prompt.md": question };
for (const path of paths) files[path.split(/[/\\]/).at(-1)!] = await Deno.readFile(path);
if (paths.length === 0) {
  files["note.txt"] = "The loss went up at step 4000.\nNothing else changed.\n";
  files["dot.png"] = await dotPng(48, 32, [0xd0, 0x20, 0x30]);
}

const root = await Deno.makeTempDir({ prefix: "deaddrop-demo-" });
say(`The root, a directory that both sides can see:\n  ${root}`);

say("Starting a responder as another process. Waiting for prompts is what announces its session.");
await using responder = new Deno.Command(Deno.execPath(), {
  args: ["run", "--no-prompt", `--allow-read`, `--allow-write=${root}`, "--allow-sys", responderPath(), root],
  stdin: "null",
  stdout: "null",
}).spawn();
const require = ["inbox", "outbox"];
const deadline = performance.now() + TIMEOUT_MS;
while ((await listSessions(root, { require })).length === 0) {
  if (performance.now() > deadline) throw new Error("the responder announced no session");
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const [session] = await listSessions(root, { require });
console.log(`  session "${session}", process ${responder.pid}`);

say(`Asking it, with ${Object.keys(files).length - 1} files attached:\n  ${question}`);
const started = performance.now();
const id = await dropPrompt(root, session, files);
console.log(`  prompt ${id}, in place after ${Math.round(performance.now() - started)} ms`);

say("The answer, as it is written:");
const out = new TextEncoder();
for await (const text of followReply(root, session, id, { timeoutMs: TIMEOUT_MS })) {
  await Deno.stdout.write(out.encode(text));
}
console.log(
  `\n\n# The reply is ${await replyState(
    root,
    session,
    id,
  )}. Nothing was moved or deleted; the directory is the record:`,
);
await showTree(root, "  ");
console.log(`\nIt lies in ${root}`);
responder.kill();

function responderPath(): string {
  return new URL("responder.ts", import.meta.url).pathname;
}

async function showTree(dir: string, indent: string): Promise<void> {
  const entries = (await Array.fromAsync(Deno.readDir(dir))).sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, isDirectory } of entries) {
    const size = isDirectory ? "/" : `  (${(await Deno.lstat(`${dir}/${name}`)).size} bytes)`;
    console.log(`${indent}${name}${size}`);
    if (isDirectory) await showTree(`${dir}/${name}`, `${indent}  `);
  }
}
