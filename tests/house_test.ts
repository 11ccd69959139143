/** The house itself: one pinned version, one direction of imports, no dependency of the library, what it may touch. */
import assert from "node:assert/strict";
import { tempDir, tree } from "./fake_host.ts";

const HOME = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const read = (path: string) => Deno.readTextFile(`${HOME}/${path}`);

async function deno(args: string[], options: Deno.CommandOptions = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, ...options }).output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

Deno.test("one place pins the Deno version, and every mention agrees with it", async () => {
  const version = (await read(".dvmrc")).trim();
  for (const path of ["README.md", ".ci/run"]) {
    for (const [mention] of (await read(path)).matchAll(/deno@\d[\d.]*/g)) {
      assert.equal(mention, `deno@${version}`, path);
    }
  }
  assert.match(await read("README.md"), /^npx -y deno@[\d.]+ task demo$/m);
  assert.match(await read("README.md"), /^npx -y deno@[\d.]+ task test$/m);
});

Deno.test("the library depends on nothing but Deno and its own files", async () => {
  const { out } = await deno(["info", "--json", `${HOME}/mod.ts`]);
  const { modules } = JSON.parse(out) as { modules: { specifier: string }[] };
  for (const { specifier } of modules) assert.match(specifier, /^file:.*\/(mod\.ts|src\/drop\/[a-z_]+\.ts)$/);
});

Deno.test("imports run one way: rooms know only the rooms below them", async () => {
  const below: Record<string, readonly string[]> = { drop: [], pane: [], cli: ["drop", "pane"] };
  for (const path of await tree(`${HOME}/src`)) {
    if (!path.endsWith(".ts") || path.endsWith("_test.ts")) continue;
    const room = path.split("/")[0];
    for (const [, target] of (await read(`src/${path}`)).matchAll(/from "(\.\.?\/[^"]+)"/g)) {
      const { pathname } = new URL(target, `file:///src/${path}`);
      const other = pathname.split("/")[2];
      if (pathname.startsWith("/src/") && other !== room) assert(below[room].includes(other), `${path} → ${target}`);
    }
  }
});

Deno.test("the library works with read and write for its root alone, and asks for nothing", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(
    `${dir.path}/exchange.ts`,
    `import { awaitPrompt, drop, dropPrompt, drops, followReply, replyStream } from "${HOME}/mod.ts";
     const [root] = Deno.args;
     const id = await dropPrompt(root, "s", "q");
     const { id: got } = await awaitPrompt(root, { sessionId: "s" });
     await replyStream(root, "s", got, (w) => w.write("a"));
     console.log(id === got, (await Array.fromAsync(followReply(root, "s", id))).join(""));
     await drop(root + "/s", "d", { name: "named" });
     for await (const d of drops(root, { sessionId: "s" })) { console.log(d.content); await d.ack(); break; }`,
  );
  const root = `${dir.path}/root`;
  const args = ["run", "--no-check", "--no-prompt", `--allow-read=${root}`, `--allow-write=${root}`];
  const { out, err, code } = await deno([...args, `${dir.path}/exchange.ts`, root]);
  assert.equal(code, 0, err);
  assert.equal(out, "true a\nd\n");
});

Deno.test("the program runs with its permission set, without -A", async () => {
  await using dir = await tempDir();
  const run = (...args: string[]) => deno(["run", "--no-prompt", "-P=program", "cli.ts", ...args], { cwd: HOME });
  const sent = await run("drop", "hello", "--session", "s", "--dir", dir.path);
  assert.equal(sent.code, 0, sent.err);
  const got = await run("pickup", "--session", "s", "--dir", dir.path);
  assert.deepEqual([got.code, got.out], [0, "hello"]);
});

Deno.test("no file gives up its types or skips a test, and every exception from a lint rule has its reason", async () => {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "*.ts"], cwd: HOME }).output();
  const files = new TextDecoder().decode(stdout).trim().split("\n");
  const patterns = [/@ts-(?:ignore|nocheck)/, /Deno\.test\.(?:ignore|only)/, /\bignore: true/];
  for (const path of files) {
    if (path === "tests/house_test.ts") continue;
    const text = await read(path).catch(() => "");
    for (const pattern of patterns) assert.doesNotMatch(text, pattern, path);
    for (const [ignore] of text.matchAll(/deno-lint-ignore.*/g)) assert.match(ignore, / -- /, `${path}: ${ignore}`);
  }
});
