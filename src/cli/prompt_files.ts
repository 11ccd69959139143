import { basename } from "node:path";
import { contentOf } from "../drop/drop.ts";
import { MAX_DROP_BYTES } from "../drop/claim.ts";
import { cannot } from "../drop/error.ts";
import { quote } from "../drop/names.ts";
import { refused } from "./exit.ts";
import { textOrStdin } from "./stdin.ts";

/** What `prompt` and `ask` send: a text as `prompt.md`, and files under their own names. */

const TEXT_NAME = "prompt.md";

/**
 * The files of a prompt. The text comes first, since the prompt's id shows its first letters. With files, an empty or
 * absent input means that there is no text.
 */
export async function promptFiles(text: string | undefined, paths: readonly string[]) {
  const files: Record<string, string | Uint8Array> = Object.create(null);
  for (const path of paths) {
    const name = basename(path);
    if (name in files) throw refused(`Cannot send two files of the name ${quote(name)}: rename one`);
    files[name] = await readUpload(path);
  }
  const fromTerminal = text === undefined && Deno.stdin.isTerminal();
  if (paths.length > 0 && fromTerminal) return files;
  const content = await textOrStdin(text);
  if (content.length > 0) {
    if (TEXT_NAME in files) throw refused(`Cannot send both a text and a file ${TEXT_NAME}: rename the file`);
    return { [TEXT_NAME]: typeof content === "string" ? content : contentOf(content), ...files };
  }
  if (paths.length === 0) throw refused("Cannot send an empty prompt: give a text or --file");
  return files;
}

async function readUpload(path: string): Promise<string | Uint8Array> {
  const reading = <T>(work: Promise<T>) => work.catch((error) => Promise.reject(cannot("read", path, error)));
  const info = await reading(Deno.stat(path)); // a link is the caller's own choice here
  if (!info.isFile) throw refused(`Cannot send ${quote(path)}: it is not a regular file`);
  if (info.size > MAX_DROP_BYTES) {
    throw refused(`Cannot send ${quote(path)}: it has more than the ${MAX_DROP_BYTES} bytes that a reader takes`);
  }
  return contentOf(await reading(Deno.readFile(path)));
}
