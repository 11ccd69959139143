import { ensureDir, sweepTemps } from "./atomic.ts";
import type { WaitOptions } from "./change.ts";
import { consume } from "./consume.ts";
import { drop } from "./drop.ts";
import { DeadDropError } from "./error.ts";
import { denoHost, type HostOption } from "./host.ts";
import { DONE_TAIL } from "./marker.ts";
import { checkMessageName } from "./names.ts";
import { type Dir, inside, pathOf } from "./paths.ts";

/** The older route: `prompts/<name>` in, `responses/<name>` out, one file each, the reply in one step. */

/** Options of {@linkcode watchPrompts}. */
export interface WatchPromptsOptions extends WaitOptions {
  /** The root. @default `~/dead_drop` */
  readonly dir?: Dir;
}

/** A prompt of the older route. */
export interface LegacyPrompt {
  /** File name; all that `respondPrompt` needs. */
  readonly name: string;
  /** The prompt; bytes that are not UTF-8 are replaced. */
  readonly content: string;
}

/** A prompt of the older route that is still in place until it is acknowledged. */
export interface HeldPrompt extends LegacyPrompt {
  /** Removes the prompt file. */
  ack(): Promise<void>;
  /** Leaves it to the next one who waits. */
  putBack(): Promise<void>;
}

/**
 * The root used when none is given: `$DEADDROP_DIR`, else `~/dead_drop`.
 *
 * Needs `--allow-env=DEADDROP_DIR,HOME,USERPROFILE`.
 *
 * @throws {DeadDropError} `bad-input` when there is no home directory either.
 *
 * @example
 * ```ts
 * import { defaultRoot } from "@deaddrop/deaddrop";
 *
 * console.log(defaultRoot().length > 0); // true
 * ```
 */
export function defaultRoot(): string {
  const set = Deno.env.get("DEADDROP_DIR");
  if (set) return set;
  const home = Deno.env.get("HOME") || Deno.env.get("USERPROFILE");
  if (home) return `${home}/dead_drop`;
  throw new DeadDropError("bad-input", "Cannot choose a root: HOME is not set; pass a directory or set DEADDROP_DIR");
}

/** Waits for a prompt and holds it: it is removed by `ack`, so that one whose printing failed is not lost. */
export async function holdPrompt(options: WatchPromptsOptions = {}): Promise<HeldPrompt> {
  const { host = denoHost, dir = defaultRoot() } = options;
  const prompts = await inside(host, pathOf(dir), "prompts");
  await ensureDir(host, prompts);
  await sweepTemps(host, prompts);
  for await (const got of consume(host, [prompts], options)) {
    if (got === "idle") continue;
    const { name, content } = got.drop;
    const text = typeof content === "string" ? content : new TextDecoder().decode(content);
    return { name, content: text, ack: got.ack, putBack: got.putBack };
  }
  throw new DeadDropError("timeout", "Gave up waiting for a prompt: the wait ended"); // `consume` has no end of its own
}

/**
 * Waits for a prompt of the older route, takes it and returns it.
 *
 * Needs `--allow-read` and `--allow-write` for the root.
 *
 * @returns Its name, which `respondPrompt` answers, and its text.
 * @throws the signal's reason when it aborts; {@linkcode DeadDropError} `timeout` after `timeoutMs`.
 *
 * @example
 * ```ts
 * import { drop, watchPrompts } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * await drop(`${dir}/prompts`, "what is 6 * 7?", { name: "sum" });
 * console.log(await watchPrompts({ dir })); // { name: "sum", content: "what is 6 * 7?" }
 * ```
 */
export async function watchPrompts(options: WatchPromptsOptions = {}): Promise<LegacyPrompt> {
  const { name, content, ack } = await holdPrompt(options);
  await ack();
  return { name, content };
}

/** Options of {@linkcode respondPrompt}. */
export interface RespondPromptOptions extends HostOption {
  /** The reply. @default an empty one */
  readonly text?: string;
  /** The root. @default `~/dead_drop` */
  readonly dir?: Dir;
  /** Name of the model, one line; noted ahead of the end marker. */
  readonly model?: string;
}

/** The note about the model ahead of the end marker, or nothing. @throws {DeadDropError} `bad-input` for several lines. */
export function modelLine(model: string | undefined): string {
  if (!model) return "";
  // deno-lint-ignore no-control-regex -- a control character would end the line early or forge another
  if (!/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(model)) return `\n---MODEL: ${model}---`;
  throw new DeadDropError("bad-input", `Cannot note the model ${JSON.stringify(model)}: it must be one line of text`);
}

/**
 * Answers a prompt of the older route in one step: a reader never sees half of it.
 *
 * Needs `--allow-read` and `--allow-write` for the root.
 *
 * @param name The prompt's name, as `watchPrompts` gave it.
 * @returns Full path of the response.
 * @throws {DeadDropError} `bad-input` for an unsafe name or a model of several lines; `exists` when it is answered.
 *
 * @example
 * ```ts
 * import { respondPrompt } from "@deaddrop/deaddrop";
 *
 * const dir = await Deno.makeTempDir();
 * const path = await respondPrompt("sum", { text: "42", dir, model: "example-1" });
 * console.log(await Deno.readTextFile(path)); // "42\n---MODEL: example-1---\n---DONE---\n"
 * ```
 */
export async function respondPrompt(name: string, options: RespondPromptOptions = {}): Promise<string> {
  const { host = denoHost, text = "", dir = defaultRoot(), model } = options;
  checkMessageName(name, "prompt name");
  const responses = await inside(host, pathOf(dir), "responses");
  return await drop(responses, text.replace(/\n+$/, "") + modelLine(model) + DONE_TAIL, { host, name });
}
