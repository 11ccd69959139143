import { cannot } from "../drop/error.ts";
import { interrupted, unlessInterrupted } from "./interrupt.ts";

/** Output: exactly the bytes, and not done until the system took them. */

/** Writes all of `content`. @throws {DeadDropError} `system` when the reader is gone or the disk is full. */
export async function print(content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let done = 0; done < bytes.length;) {
    try {
      done += await unlessInterrupted(Deno.stdout.write(bytes.subarray(done)));
    } catch (error) {
      if (interrupted.aborted) throw error;
      const gone = error instanceof Deno.errors.BrokenPipe;
      throw cannot("write", "the output", gone ? new Error("its reader is gone") : error);
    }
  }
}

/** Writes `value` as one line of JSON, bytes in it as `{"base64": …}`. */
export async function printJson(value: unknown): Promise<void> {
  const text = JSON.stringify(value, (_, each) => each instanceof Uint8Array ? { base64: each.toBase64() } : each);
  await print(text + "\n");
}
