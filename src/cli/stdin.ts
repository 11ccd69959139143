import { MAX_DROP_BYTES } from "../drop/claim.ts";
import { unlessInterrupted } from "./interrupt.ts";
import { refused } from "./exit.ts";
import { note } from "./stderr.ts";

/** Input: a text argument, or what stdin holds. */

const CHUNK_BYTES = 64 * 1024;

/** Stdin as it comes. */
export async function* stdinBytes(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (Deno.stdin.isTerminal()) note("Reading from the terminal until Ctrl-D");
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let count: number | null; (count = await unlessInterrupted(Deno.stdin.read(buffer))) !== null;) {
    yield buffer.slice(0, count);
  }
}

/** Stdin as text, as it comes; a character cut by a read is completed by the next one. */
export async function* stdinText(): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (bytes?: Uint8Array<ArrayBuffer>) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw refused("Cannot take the input as text: it is not UTF-8; convert it or send it as a drop");
    }
  };
  for await (const bytes of stdinBytes()) {
    const text = decode(bytes);
    if (text !== "") yield text;
  }
  decode(); // throws when the last character is cut
}

/** The text argument, or all of stdin byte for byte. */
export async function textOrStdin(text: string | undefined): Promise<string | Uint8Array<ArrayBuffer>> {
  if (text !== undefined) return text;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const bytes of stdinBytes()) {
    chunks.push(bytes);
    size += bytes.length;
    if (size > MAX_DROP_BYTES) {
      throw refused(`Cannot send the input: it has more than the ${MAX_DROP_BYTES} bytes that a reader takes`);
    }
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
