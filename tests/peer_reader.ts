/** The Python peer's reading rules, as observed, so that tests can ask whether it would be misled. */
import { DONE_MARKER } from "../mod.ts";

// deno-lint-ignore no-control-regex -- Python counts four control characters as white space
const PYTHON_SPACE = /[\s\u001c-\u001f\u0085]+$/u;

/** Whether the peer, sampling a file with this content, takes the reply for complete. */
export function peerSaysComplete(text: string): boolean {
  return text.replace(PYTHON_SPACE, "").endsWith(DONE_MARKER);
}

/** What the peer shows of a complete reply that it reads late. */
export function peerText(text: string): string {
  const end = text.replace(PYTHON_SPACE, "");
  return end.slice(0, -DONE_MARKER.length).replace(PYTHON_SPACE, "");
}
