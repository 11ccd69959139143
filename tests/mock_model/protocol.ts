/** What a model is asked and what it answers, whatever the protocol. */

/** The part of JSON Schema that tools and answers are described with. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
}

/** A tool that the agent offers. */
export interface Tool {
  readonly name: string;
  readonly schema: Schema;
}

/** A request, read. */
export interface Question {
  /** Text parts of every user message in the conversation, oldest first, exactly as they came. */
  readonly users: readonly string[];
  /** The last message carries what a tool gave back. */
  readonly afterTool: boolean;
  readonly tools: readonly Tool[];
  readonly stream: boolean;
  /** The answer has to be JSON of this kind. */
  readonly answerSchema?: Schema;
}

/** The call of a tool. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** An answer: pieces of text, or the call of a tool. */
export type Reply = { readonly pieces: readonly string[] } | ToolCall;

/** A server-sent event; OpenAI and Gemini give theirs no name. */
export interface ServerEvent {
  readonly name?: string;
  readonly data: unknown;
}

/** One way to ask a model over HTTP. */
export interface Protocol {
  /** Matches the path of a request. */
  readonly path: RegExp;
  read(body: string, path: string): Question;
  /** The body of an answer that is not streamed. */
  whole(reply: Reply): unknown;
  /** The events of one that is. */
  events(reply: Reply): Iterable<ServerEvent>;
}

/** The text of a reply; empty for a tool call. */
export function textOf(reply: Reply): string {
  return "pieces" in reply ? reply.pieces.join("") : "";
}

/** An id as these services make them. */
export function newId(prefix: string): string {
  return `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** A value that a schema allows, with nothing in it that is not required. */
export function sample(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  switch (type?.toLowerCase()) {
    case "object":
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]));
    case "array":
      return [];
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 1;
    default:
      return "text";
  }
}
