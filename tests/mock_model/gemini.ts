/** Google's generateContent, which Gemini CLI speaks. */
import { type Protocol, type Schema, textOf, type ToolCall } from "./protocol.ts";

interface Body {
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly Declaration[] }[];
  readonly generationConfig?: {
    readonly responseMimeType?: string;
    readonly responseJsonSchema?: Schema;
    readonly responseSchema?: Schema;
  };
}

interface Part {
  readonly text?: string;
  readonly functionResponse?: unknown;
}

interface Declaration {
  readonly name: string;
  readonly parameters?: Schema;
  readonly parametersJsonSchema?: Schema;
}

function chunk(part: unknown, last: boolean) {
  return {
    candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...last ? { finishReason: "STOP" } : {} }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: "mock-model",
  };
}

function call(reply: ToolCall) {
  return { functionCall: { name: reply.tool, args: reply.input } };
}

/** `:generateContent` and `:streamGenerateContent` of v1beta. */
export const gemini: Protocol = {
  path: /:(?:g|streamG)enerateContent$/,
  read(body, path) {
    const { contents = [], tools = [], generationConfig = {} }: Body = JSON.parse(body);
    const { responseMimeType, responseJsonSchema, responseSchema } = generationConfig;
    const answerSchema = responseMimeType === "application/json"
      ? responseJsonSchema ?? responseSchema ?? { type: "object" }
      : undefined;
    return {
      users: contents.filter(({ role = "user" }) => role === "user")
        .flatMap(({ parts = [] }) => parts.flatMap(({ text }) => text ?? [])),
      afterTool: contents.at(-1)?.parts?.some(({ functionResponse }) => functionResponse !== undefined) ?? false,
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, parametersJsonSchema, parameters }) => ({
          name,
          schema: parametersJsonSchema ?? parameters ?? {},
        })),
      stream: path.includes(":stream"),
      answerSchema,
    };
  },
  whole: (reply) => chunk("tool" in reply ? call(reply) : { text: textOf(reply) }, true),
  *events(reply) {
    if ("tool" in reply) return yield { data: chunk(call(reply), true) };
    for (const [i, text] of reply.pieces.entries()) yield { data: chunk({ text }, i === reply.pieces.length - 1) };
  },
};
