/** OpenAI's chat completions and responses, which most other agents speak to a server of one's own. */
import { newId, type Protocol, type Reply, type Schema, type ServerEvent, textOf, type ToolCall } from "./protocol.ts";

type Content = string | null | readonly { readonly text?: string }[];

interface Message {
  readonly type?: string;
  readonly role?: string;
  readonly content?: Content;
}

interface ChatBody {
  readonly messages?: readonly Message[];
  readonly tools?: readonly { readonly function?: { readonly name: string; readonly parameters?: Schema } }[];
  readonly stream?: boolean;
}

interface ResponsesBody {
  readonly input?: string | readonly Message[];
  readonly tools?: readonly { readonly type?: string; readonly name?: string; readonly parameters?: Schema }[];
  readonly stream?: boolean;
}

function usersOf(messages: readonly Message[]): string[] {
  return messages.filter(({ role }) => role === "user").flatMap(({ content = null }) =>
    typeof content === "string" ? [content] : (content ?? []).flatMap(({ text }) => text ?? [])
  );
}

const CHAT_USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function calls(reply: ToolCall) {
  const call = { name: reply.tool, arguments: JSON.stringify(reply.input) };
  return [{ index: 0, id: newId("call"), type: "function", function: call }];
}

function completion(object: string, choice: unknown, usage?: typeof CHAT_USAGE) {
  const created = Math.floor(Date.now() / 1000);
  return { id: newId("chatcmpl"), object, created, model: "mock-model", choices: [choice], usage };
}

/** `/chat/completions`. */
export const chat: Protocol = {
  path: /\/chat\/completions$/,
  read(body) {
    const { messages = [], tools = [], stream = false }: ChatBody = JSON.parse(body);
    return {
      users: usersOf(messages),
      afterTool: messages.at(-1)?.role === "tool",
      tools: tools.flatMap((tool) => tool.function ?? []).map(({ name, parameters = {} }) => ({
        name,
        schema: parameters,
      })),
      stream,
    };
  },
  whole(reply) {
    const message = "tool" in reply
      ? { role: "assistant", content: null, tool_calls: calls(reply) }
      : { role: "assistant", content: textOf(reply) };
    const finish_reason = "tool" in reply ? "tool_calls" : "stop";
    return completion("chat.completion", { index: 0, message, finish_reason }, CHAT_USAGE);
  },
  *events(reply) {
    const id = newId("chatcmpl");
    const event = (delta: unknown, finish_reason: string | null, usage?: typeof CHAT_USAGE): ServerEvent => ({
      data: { ...completion("chat.completion.chunk", { index: 0, delta, finish_reason }, usage), id },
    });
    yield event({ role: "assistant", content: "" }, null);
    if ("tool" in reply) yield event({ tool_calls: calls(reply) }, null);
    else for (const content of reply.pieces) yield event({ content }, null);
    yield event({}, "tool" in reply ? "tool_calls" : "stop", CHAT_USAGE);
    yield { data: "[DONE]" };
  },
};

const RESPONSE_USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

function outputItem(reply: Reply) {
  if ("tool" in reply) {
    const call = { name: reply.tool, arguments: JSON.stringify(reply.input), call_id: newId("call") };
    return { type: "function_call", id: newId("fc"), ...call };
  }
  const content = [{ type: "output_text", text: textOf(reply), annotations: [] }];
  return { type: "message", id: newId("msg"), role: "assistant", content };
}

function response(status: string, output: unknown[]) {
  const created_at = Math.floor(Date.now() / 1000);
  return {
    id: newId("resp"),
    object: "response",
    created_at,
    model: "mock-model",
    status,
    output,
    usage: RESPONSE_USAGE,
  };
}

/** `/responses`. */
export const responses: Protocol = {
  path: /\/responses$/,
  read(body) {
    const { input = [], tools = [], stream = false }: ResponsesBody = JSON.parse(body);
    const messages = typeof input === "string" ? [{ role: "user", content: input }] : input;
    return {
      users: usersOf(messages),
      afterTool: /_call_output$/.test(messages.at(-1)?.type ?? ""),
      tools: tools.map(({ name, type = "", parameters = {} }) => ({ name: name ?? type, schema: parameters })),
      stream,
    };
  },
  whole: (reply) => response("completed", [{ ...outputItem(reply), status: "completed" }]),
  *events(reply) {
    const base = response("in_progress", []);
    const item = outputItem(reply);
    const event = (type: string, fields: object): ServerEvent => ({ name: type, data: { type, ...fields } });
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    const started = item.type === "message" ? { ...item, content: [] } : item;
    yield event("response.created", { response: base });
    yield event("response.output_item.added", { output_index: 0, item: { ...started, status: "in_progress" } });
    if ("pieces" in reply) {
      const part = { type: "output_text", text: "", annotations: [] };
      yield event("response.content_part.added", { ...place, part });
      for (const delta of reply.pieces) yield event("response.output_text.delta", { ...place, delta });
      yield event("response.output_text.done", { ...place, text: textOf(reply) });
    }
    const done = { ...item, status: "completed" };
    yield event("response.output_item.done", { output_index: 0, item: done });
    yield event("response.completed", { response: { ...base, status: "completed", output: [done] } });
  },
};
