import assert from "node:assert/strict";
import { MockModel } from "./mock_model.ts";

/** The mock model over HTTP, as the agents ask it. */

const TEXT = "[deaddrop 7f3a19c2] über\n漢字 \\ [end 7f3a19c2]";
const shell = {
  type: "object",
  properties: { command: { type: "string" }, description: { type: "string" }, background: { type: "boolean" } },
  required: ["command", "description", "background"],
};

/** The same question in each protocol. */
const ASKED: Record<string, { path: string; body: (stream: boolean) => unknown }> = {
  anthropic: {
    path: "v1/messages",
    body: (stream) => ({
      stream,
      messages: [{ role: "user", content: [{ type: "text", text: "hint" }, { type: "text", text: TEXT }] }],
      tools: [{ name: "Bash", input_schema: shell }],
    }),
  },
  gemini: {
    path: "v1beta/models/mock",
    body: () => ({
      contents: [{ role: "user", parts: [{ text: "hint" }, { text: TEXT }] }],
      tools: [{ functionDeclarations: [{ name: "run_shell_command", parametersJsonSchema: shell }] }],
    }),
  },
  chat: {
    path: "v1/chat/completions",
    body: (stream) => ({
      stream,
      messages: [{ role: "user", content: "hint" }, { role: "user", content: [{ type: "text", text: TEXT }] }],
      tools: [{ type: "function", function: { name: "run_shell_command", parameters: shell } }],
    }),
  },
  responses: {
    path: "v1/responses",
    body: (stream) => ({
      stream,
      input: [{ role: "user", content: "hint" }, { role: "user", content: [{ type: "input_text", text: TEXT }] }],
      tools: [{ type: "function", name: "exec_command", parameters: shell }],
    }),
  },
};

async function ask(model: MockModel, agent: string, stream: boolean): Promise<string> {
  const { path, body } = ASKED[agent];
  const method = agent !== "gemini" ? "" : stream ? ":streamGenerateContent?alt=sse" : ":generateContent";
  const init = { method: "POST", body: JSON.stringify(body(stream)) };
  const response = await fetch(`${model.url}/${agent}/${path}${method}`, init);
  assert.equal(response.headers.get("content-type"), stream ? "text/event-stream" : "application/json");
  return await response.text();
}

/** The data of a stream's events, parsed. */
function dataOf(stream: string): unknown[] {
  return stream.split("\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)));
}

for (const agent of Object.keys(ASKED)) {
  Deno.test(`mock model: ${agent}: keeps user messages exactly, answers whole and in a stream`, async () => {
    await using model = new MockModel();
    model.set(agent, { kind: "text", text: "Hello there" });
    assert.match(await ask(model, agent, false), /"Hello there"/);
    const events = dataOf(await ask(model, agent, true));
    const pieces = JSON.stringify(events);
    assert(pieces.includes('"Hell"') && pieces.includes('"o there"'), pieces);
    assert.deepEqual(model.conversation(agent), ["hint", TEXT]);
    assert.deepEqual(model.requests.map(({ stream, aside, afterTool }) => [stream, aside, afterTool]), [
      [false, false, false],
      [true, false, false],
    ]);
  });

  Deno.test(`mock model: ${agent}: calls the tool that runs commands, with all that it requires`, async () => {
    await using model = new MockModel();
    model.set(agent, { kind: "tool", command: "touch x" });
    for (const stream of [false, true]) {
      const answer = (await ask(model, agent, stream)).replaceAll("\\", "");
      assert.match(answer, /"command":"touch x"/);
      assert.match(answer, /"description":"text"/);
      assert.match(answer, /"background":false/);
    }
  });
}

Deno.test("mock model: a slow answer comes in pieces and ends when the server stops", async () => {
  const model = new MockModel();
  model.set("chat", { kind: "slow", pieces: 3, pieceMs: 1 });
  assert.match(await ask(model, "chat", true), /"word0 "[^]*"word2 "/);
  model.set("chat", { kind: "slow", pieces: 3, pieceMs: 3_600_000 });
  const pending = ask(model, "chat", true).catch(() => "cut off");
  await model[Symbol.asyncDispose]();
  await pending;
});

Deno.test("mock model: a request without tools is an aside, one that wants JSON gets it", async () => {
  await using model = new MockModel();
  const properties = { choice: { type: "string", enum: ["a", "b"] } };
  const responseJsonSchema = { type: "object", properties, required: ["choice"] };
  const response = await fetch(`${model.url}/gemini/v1beta/models/mock:generateContent`, {
    method: "POST",
    body: JSON.stringify({
      contents: [{ parts: [{ text: "route" }] }],
      generationConfig: { responseMimeType: "application/json", responseJsonSchema },
    }),
  });
  assert.match(await response.text(), /"\{\\"choice\\":\\"a\\"\}"/);
  assert.equal(model.requests[0].aside, true);
  assert.deepEqual(model.conversation("gemini"), []);
  const missing = await fetch(`${model.url}/x/nowhere`);
  assert.equal(missing.status, 404);
  await missing.body?.cancel();
});
