/**
 * A model on 127.0.0.1 for real agents in tests: it answers at once, slowly, or with a tool call, and keeps every user message exactly
 * as it came. The first segment of a path is the agent's name, so that several can share it: `http://127.0.0.1:PORT/claude`.
 *
 * To try an agent by hand: `deno run -A tests/mock_model.ts PORT` prints each request as a line of JSON.
 */
import { anthropic } from "./mock_model/anthropic.ts";
import { gemini } from "./mock_model/gemini.ts";
import { chat, responses } from "./mock_model/openai.ts";
import { type Question, type Reply, sample, type ServerEvent, type Tool } from "./mock_model/protocol.ts";

/** How it answers an agent; `slow`: so many pieces, with a wait before each; `tool`: this command, until its output comes back. */
export type Mode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "slow"; readonly pieces: number; readonly pieceMs: number }
  | { readonly kind: "tool"; readonly command: string };

/** A request that an agent made. */
export interface Received extends Question {
  readonly agent: string;
  readonly path: string;
  readonly atMs: number;
  /** Offers no tools: a title, a summary, a routing question. It is answered at once whatever the mode. */
  readonly aside: boolean;
}

/** Options of {@linkcode serveModel}. */
export interface ModelOptions {
  /** @default {0} any free port */
  readonly port?: number;
  /** Called for every request. */
  readonly onRequest?: (received: Received) => void;
}

const PROTOCOLS = [anthropic, gemini, chat, responses];
const ANSWER = "Done: acknowledged.";

/** Names of the tool that runs a command, the surest first. */
const SHELL_TOOLS = [
  /^(?:bash|shell|exec_command|shell_command)$/i,
  /^run_(?:shell|terminal)?_?commands?$/,
  /bash|shell|command/i,
];

/** The mock model. */
export class MockModel implements AsyncDisposable {
  /** Every request, oldest first. */
  readonly requests: Received[] = [];
  /** Where it listens, without an agent's name. */
  readonly url: string;
  readonly #modes = new Map<string, Mode>();
  readonly #stop = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #onRequest: (received: Received) => void;

  constructor({ port = 0, onRequest = () => {} }: ModelOptions = {}) {
    this.#onRequest = onRequest;
    const options = { hostname: "127.0.0.1", port, signal: this.#stop.signal, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => this.#answer(request));
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Answers an agent so from now on. */
  set(agent: string, mode: Mode) {
    this.#modes.set(agent, mode);
  }

  /** The text parts of the user messages in an agent's newest request, oldest first: its whole conversation. */
  conversation(agent: string): readonly string[] {
    return this.requests.findLast((each) => each.agent === agent && !each.aside)?.users ?? [];
  }

  async [Symbol.asyncDispose]() {
    this.#stop.abort();
    await this.#server.finished;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const agent = pathname.split("/")[1];
    const protocol = PROTOCOLS.find(({ path }) => path.test(pathname));
    if (protocol === undefined || request.method !== "POST") return other(pathname);
    const question = protocol.read(await request.text(), pathname);
    const received = { ...question, agent, path: pathname, atMs: Date.now(), aside: question.tools.length === 0 };
    this.requests.push(received);
    this.#onRequest(received);
    const mode = this.#modes.get(agent) ?? { kind: "text", text: ANSWER };
    const reply = replyTo(received, mode);
    const waitMs = !received.aside && mode.kind === "slow" ? mode.pieceMs : 0;
    if (question.stream) return streamed(protocol.events(reply), waitMs, this.#stop.signal);
    return Response.json(protocol.whole(reply));
  }
}

function replyTo({ aside, afterTool, tools, answerSchema }: Received, mode: Mode): Reply {
  if (answerSchema !== undefined) return { pieces: [JSON.stringify(sample(answerSchema))] };
  if (aside) return { pieces: ["Mock title"] };
  const shell = SHELL_TOOLS.map((name) => tools.find((tool) => name.test(tool.name))).find((tool) =>
    tool !== undefined
  );
  if (mode.kind === "tool" && !afterTool && shell !== undefined) return callOf(shell, mode.command);
  if (mode.kind === "slow") return { pieces: Array.from({ length: mode.pieces }, (_, i) => `word${i} `) };
  const text = mode.kind === "text" ? mode.text : ANSWER;
  return { pieces: [text.slice(0, 4), text.slice(4)] };
}

/** A call of a tool that runs commands; the argument that holds the command has one of these names. */
function callOf({ name, schema }: Tool, command: string): Reply {
  const input = Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
      if (/^(?:command|cmd|script)$/.test(key)) {
        return [[key, property.type === "array" ? ["bash", "-c", command] : command]];
      }
      if (key === "commands") return [[key, [command]]];
      return schema.required?.includes(key) ? [[key, sample(property)]] : [];
    }),
  );
  return { tool: name, input };
}

function streamed(events: Iterable<ServerEvent>, waitMs: number, signal: AbortSignal): Response {
  const lines = async function* () {
    for (const { name, data } of events) {
      if (waitMs > 0) await wait(waitMs, signal);
      const text = typeof data === "string" ? data : JSON.stringify(data);
      yield `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
    }
  };
  const body = ReadableStream.from(lines()).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
}

/** Ends early, and without an error, when the server stops. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/** What agents ask for beside answers. */
function other(path: string): Response {
  if (path.endsWith("/count_tokens")) return Response.json({ input_tokens: 10 });
  if (path.endsWith(":countTokens")) return Response.json({ totalTokens: 10 });
  if (path.endsWith("/models")) return Response.json({ object: "list", data: [{ id: "mock-model", object: "model" }] });
  return Response.json({ error: { message: `The mock model knows nothing at ${path}`, code: 404 } }, { status: 404 });
}

if (import.meta.main) {
  const onRequest = ({ tools, ...received }: Received) =>
    console.log(JSON.stringify({ ...received, tools: tools.map(({ name }) => name) }));
  const { url } = new MockModel({ port: Number(Deno.args[0] ?? 0), onRequest });
  console.log(JSON.stringify({ url }));
}
