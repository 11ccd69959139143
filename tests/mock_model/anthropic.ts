/** Anthropic's Messages, which Claude Code speaks. */
import { newId, type Protocol, type Reply, type Schema, textOf } from "./protocol.ts";

interface Body {
  readonly messages?: readonly { readonly role: string; readonly content: string | readonly Part[] }[];
  readonly tools?: readonly { readonly name: string; readonly input_schema?: Schema }[];
  readonly stream?: boolean;
}

interface Part {
  readonly type: string;
  readonly text?: string;
}

const USAGE = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function message(reply: Reply) {
  const content = "tool" in reply
    ? { type: "tool_use", id: newId("toolu"), name: reply.tool, input: reply.input }
    : { type: "text", text: textOf(reply) };
  const stop_reason = "tool" in reply ? "tool_use" : "end_turn";
  const common = { type: "message", role: "assistant", model: "mock-model", stop_sequence: null };
  return { ...common, id: newId("msg"), content: [content], stop_reason, usage: USAGE };
}

function* events(reply: Reply) {
  const { content: [block], stop_reason, ...rest } = message(reply);
  const event = (type: string, fields = {}) => ({ name: type, data: { type, ...fields } });
  yield event("message_start", { message: { ...rest, content: [], stop_reason: null } });
  const empty = "tool" in reply ? { ...block, input: {} } : { ...block, text: "" };
  yield event("content_block_start", { index: 0, content_block: empty });
  const deltas = "tool" in reply
    ? [{ type: "input_json_delta", partial_json: JSON.stringify(reply.input) }]
    : reply.pieces.map((text) => ({ type: "text_delta", text }));
  for (const delta of deltas) yield event("content_block_delta", { index: 0, delta });
  yield event("content_block_stop", { index: 0 });
  yield event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  yield event("message_stop");
}

/** Messages of version 2023-06-01. */
export const anthropic: Protocol = {
  path: /\/messages$/,
  read(body) {
    const { messages = [], tools = [], stream = false }: Body = JSON.parse(body);
    const parts = messages.map(({ role, content }) => ({
      role,
      parts: typeof content === "string" ? [{ type: "text", text: content }] : content,
    }));
    return {
      users: parts.filter(({ role }) => role === "user").flatMap(({ parts }) =>
        parts.flatMap(({ text }) => text ?? [])
      ),
      afterTool: parts.at(-1)?.parts.some(({ type }) => type === "tool_result") ?? false,
      tools: tools.map(({ name, input_schema = {} }) => ({ name, schema: input_schema })),
      stream,
    };
  },
  whole: message,
  events,
};
