/** `mod.ts` imported from a URL, as somebody without this repository does: what is fetched, and that it works. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runNotebook, writeNotebook } from "../scripts/kernel.ts";

/** This repository on 127.0.0.1, with a log of what was asked for. */
interface Site extends AsyncDisposable {
  readonly host: string;
  readonly log: readonly string[];
}

function serveRepository(): Site {
  const log: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    log.push(pathname);
    const body = await Deno.readFile(new URL(`..${pathname}`, import.meta.url)).catch(() => null);
    if (body === null) return new Response(null, { status: 404 });
    const type = pathname.endsWith(".ts") ? "application/typescript" : "application/octet-stream";
    return new Response(body, { headers: { "content-type": type } });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  return { host, log, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A temporary directory with the empty directories `names` in it. */
async function tempDirs<Name extends string>(...names: Name[]): Promise<Record<Name, string> & AsyncDisposable> {
  const base = await Deno.makeTempDir({ prefix: "deaddrop-" });
  const dirs = Object.fromEntries(names.map((name) => [name, join(base, name)])) as Record<Name, string>;
  for (const name of names) await Deno.mkdir(dirs[name]);
  return { ...dirs, [Symbol.asyncDispose]: () => Deno.remove(base, { recursive: true }) };
}

/** A whole exchange, by code that knows nothing but the URL and a directory. */
const exchange = (host: string, root: string) => `
import { awaitPrompt, drop, dropPrompt, followReply, pickup, replyState, replyStream } from "http://${host}/mod.ts";

const root = ${JSON.stringify(root)};
const id = await dropPrompt(root, "lab", { "prompt.md": "Is CI green?", "dot.bin": new Uint8Array([0xff, 0]) });
const prompt = await awaitPrompt(root, { sessionId: "lab", timeoutMs: 10_000 });
const answering = replyStream(root, "lab", prompt.id, async (reply) => {
  for (const word of ["CI ", "is ", "green"]) await reply.write(word);
});
let answer = "";
for await (const piece of followReply(root, "lab", id, { timeoutMs: 10_000 })) answer += piece;
await answering;
await drop(root + "/lab", "thanks");
const thanks = await pickup(root + "/lab");
const said = [prompt.files["prompt.md"], answer, await replyState(root, "lab", id), thanks?.content].join(" | ");
console.log(said);
if (said !== "Is CI green? | CI is green | done | thanks") throw new Error(said);
`;

/** Files of npm packages in a module cache; Deno makes the directory for them in any case. */
function npmFiles(cache: string): string[] {
  const npm = join(cache, "npm");
  if (!existsSync(npm)) return [];
  return readdirSync(npm, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => e.name);
}

function assertOnlyTheLibrary(log: readonly string[]): void {
  assert(log.includes("/mod.ts"));
  assert(log.includes("/src/drop/reply.ts"));
  assert.deepEqual(log.filter((path) => path !== "/mod.ts" && !/^\/src\/drop\/\w+\.ts$/.test(path)), []);
}

Deno.test("import from a URL: a bare program makes a whole exchange, and nothing but the library is fetched", async () => {
  await using site = serveRepository();
  await using dirs = await tempDirs("project", "root", "cache");
  await Deno.writeTextFile(join(dirs.project, "main.ts"), exchange(site.host, dirs.root));
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      `--allow-import=${site.host}`,
      `--allow-read=${dirs.root}`,
      `--allow-write=${dirs.root}`,
      "main.ts",
    ],
    cwd: dirs.project,
    clearEnv: true,
    env: { DENO_DIR: dirs.cache, NO_COLOR: "1" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  assert.equal(new TextDecoder().decode(stdout), "Is CI green? | CI is green | done | thanks\n");
  assertOnlyTheLibrary(site.log);
  assert.deepEqual(npmFiles(dirs.cache), []);
  assert.deepEqual(Array.from(Deno.readDirSync(join(dirs.cache, "remote")), (entry) => entry.name), ["http"]);
  assert.deepEqual(Array.from(Deno.readDirSync(dirs.project), (entry) => entry.name), ["main.ts"]);
});

Deno.test("import from a URL: a kernel cell makes the same exchange, twice, and fetches each file once (DENOJUP-07)", async () => {
  await using site = serveRepository();
  await using dirs = await tempDirs("project", "first", "second");
  await Deno.writeTextFile(join(dirs.project, "deno.json"), JSON.stringify({ lock: false }));
  const notebook = join(dirs.project, "exchange.ipynb");
  const onlyThisHost = `
const remote = Deno.env.get("DENO_DIR") + "/remote";
const schemes = Array.from(Deno.readDirSync(remote), (entry) => entry.name);
const hosts = Array.from(Deno.readDirSync(remote + "/http"), (entry) => entry.name);
if (schemes.length !== 1 || hosts.length !== 1) throw new Error([...schemes, ...hosts].join(" "));`;
  await writeNotebook(notebook, [exchange(site.host, dirs.first), exchange(site.host, dirs.second), onlyThisHost]);
  assert.deepEqual(await runNotebook(notebook), { state: "passed" }); // with a module cache of its own, see its runner
  assertOnlyTheLibrary(site.log);
  assert.equal(new Set(site.log).size, site.log.length);
});
