import assert from "node:assert/strict";
import { failure, value } from "./answer.ts";
import { type ListedPane, type Multiplexer, type PaneRef, PSMUX } from "./multiplexer.ts";
import { type RecogniseAgent, resolveSessionPane } from "./target.ts";

const server = { pid: 7, startTime: 1 };

function pane(target: string, session: string, more: Partial<ListedPane> = {}): ListedPane {
  return {
    ref: { target, server },
    places: [{ sessionId: "$0", session, windowIndex: 0, window: "w", paneIndex: 0 }],
    windowId: "@0",
    cell: null,
    pid: 100,
    command: "claude",
    title: "",
    path: "/",
    dead: false,
    ...more,
  };
}

/** A multiplexer with these panes; it keeps what was pasted where. */
function fake(panes: readonly ListedPane[]): Multiplexer & { readonly pasted: string[] } {
  const pasted: string[] = [];
  const done = () => Promise.resolve(value(null));
  return {
    capabilities: PSMUX,
    address: "a fake one",
    pasted,
    list: () => Promise.resolve(value({ server, version: "3.3", panes, clients: [] })),
    look: (refs: readonly PaneRef[]) => Promise.resolve(refs.map(() => failure("gone", "no screens here"))),
    paste: (ref: PaneRef) => (pasted.push(ref.target), done()),
    press: done,
    stamp: done,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const processes = { list: () => Promise.resolve([]), argv: () => Promise.resolve([]) };
const recognise: RecogniseAgent = (_, { command }) => command === "claude" ? "claude" : null;
const resolve = (name: string, panes: readonly ListedPane[]) =>
  resolveSessionPane(name, { multiplexer: fake(panes), processes, recognise });

async function reason(name: string, panes: readonly ListedPane[]): Promise<string> {
  const resolved = await resolve(name, panes);
  return resolved.ok ? resolved.pane.ref.target : resolved.reason;
}

Deno.test("resolveSessionPane(): names are equal or not, never alike (PANE-01)", async () => {
  const panes = [pane("%1", "lab-2"), pane("%2", "my-lab"), pane("%3", "LAB")];
  assert.equal(await reason("lab", panes), "no-session");
  assert.equal(await reason("*", panes), "no-session");
  assert.equal(await reason("=lab-2", panes), "no-session");
  assert.equal(await reason("lab-2", panes), "%1");
});

Deno.test("resolveSessionPane(): a stamp wins over a name, and keeps a pane from other cells (PANE-02, PANE-12)", async () => {
  const panes = [pane("%1", "lab"), pane("%2", "other", { cell: "lab" }), pane("%3", "third", { cell: "else" })];
  assert.equal(await reason("lab", panes), "%2");
  assert.equal(await reason("third", panes), "no-pane");
  assert.equal(await reason("else", panes), "%3");
});

Deno.test("resolveSessionPane(): a stamped pane whose agent is gone is a shell, not another pane of that name (SHELL-01)", async () => {
  const panes = [pane("%1", "lab"), pane("%2", "other", { cell: "lab", command: "-zsh" })];
  assert.equal(await reason("lab", panes), "shell");
  assert.equal(await reason("lab", [pane("%1", "lab", { command: "vim" })]), "other-program");
  assert.equal(await reason("lab", [pane("%1", "lab", { dead: true })]), "no-pane");
});

Deno.test("resolveSessionPane(): several agents are refused and named; a shell beside one is no rival", async () => {
  const second = pane("%2", "lab", { places: [{ ...pane("%2", "lab").places[0], paneIndex: 1 }] });
  const several = await resolve("lab", [pane("%1", "lab"), second]);
  assert.ok(!several.ok);
  assert.equal(several.reason, "several");
  assert.match(several.message, /lab:0\.0 \(%1, claude\), lab:0\.1 \(%2, claude\)/);
  assert.equal(await reason("lab:0.1", [pane("%1", "lab"), second]), "%2");
  assert.equal(await reason("lab", [pane("%1", "lab"), { ...second, command: "bash" }]), "%1");
});

Deno.test("resolveSessionPane(): what keeps the multiplexer from answering is the reason, with the place looked at (PANE-07)", async () => {
  const multiplexer = { ...fake([]), list: () => Promise.resolve(failure("no-server", "nobody listens")) };
  const resolved = await resolveSessionPane("lab", { multiplexer, processes, recognise });
  assert.deepEqual(resolved.ok ? null : [resolved.reason, resolved.message], [
    "no-server",
    "nobody listens (socket a fake one)",
  ]);
});

Deno.test("resolveSessionPane(): where ids are not global, two %1 stay two panes (PANE-06)", async () => {
  assert.equal(PSMUX.paneIdsGlobal, false);
  // Its own ids are no targets: each pane is addressed by session, window and index.
  const multiplexer = fake([pane("alpha:0.0", "alpha"), pane("beta:0.0", "beta")]);
  const resolved = await resolveSessionPane("beta", { multiplexer, processes, recognise });
  assert.ok(resolved.ok);
  await multiplexer.paste(resolved.pane.ref, "x");
  assert.deepEqual(multiplexer.pasted, ["beta:0.0"]);
  const byId = await resolveSessionPane("%1", { multiplexer, processes, recognise });
  assert.equal(byId.ok ? "found" : byId.reason, "no-session");
});
