import { DeadDropError } from "../drop/error.ts";
import { followReply } from "../drop/follow.ts";
import { denoHost } from "../drop/host.ts";
import { replyState } from "../drop/reply_state.ts";
import { CliError, EXIT } from "./exit.ts";
import { interrupted } from "./interrupt.ts";
import { duration, note, whileWaiting } from "./stderr.ts";
import { print, printJson } from "./stdout.ts";

/** Following a reply on the terminal, for `follow` and `ask`. */

/** A writer elsewhere may be known to be gone only when its lease runs out, so a still reply is looked at again. */
const LOOK_AGAIN_MS = 5_000;

/** Which reply. */
export interface ReplyPlace {
  readonly root: string;
  readonly session: string;
  readonly id: string;
}

/** How it is followed. */
export interface PrintReplyOptions {
  readonly json?: boolean;
  readonly pollMs?: number;
  readonly timeoutMs?: number;
  readonly stallMs?: number;
}

/** Prints the reply piece by piece until it is complete; a wait that ends before says how to resume it. */
export async function printReply(place: ReplyPlace, { json = false, ...waits }: PrintReplyOptions): Promise<void> {
  const { root, session, id } = place;
  using writer = new WriterWatch(place);
  const onStall = ({ quietMs }: { quietMs: number }) => writer.look(quietMs);
  try {
    const pieces = followReply(root, session, id, { ...waits, signal: interrupted, onStall });
    // Only the first piece is waited for on screen: from then on the line belongs to the text.
    let next = await whileWaiting(`the reply to ${id}`, pieces.next());
    for (; !next.done; next = await pieces.next()) {
      await (json ? printJson({ text: next.value }) : print(next.value));
    }
    if (json) await printJson({ state: "done" });
  } catch (error) {
    throw resumable(place, error);
  }
}

/** `deaddrop <verb> ID --session S --dir D`, to be pasted into a shell. */
function commandLine(verb: string, { root, session, id }: ReplyPlace): string {
  const quoted = (word: string) => /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return ["deaddrop", verb, quoted(id), "--session", quoted(session), "--dir", quoted(root)].join(" ");
}

function resumable(place: ReplyPlace, error: unknown): unknown {
  const command = commandLine("follow", place);
  if (error instanceof DeadDropError && error.code === "timeout") {
    return new CliError(EXIT.nothing, `No complete reply yet; \`${command}\` resumes`, { cause: error });
  }
  if (error instanceof CliError && error.exitCode === EXIT.interrupted) {
    return new CliError(EXIT.interrupted, `Interrupted; \`${command}\` resumes`, { cause: error });
  }
  return error;
}

/** Says once that the writer of a reply is gone. */
class WriterWatch {
  readonly #place: ReplyPlace;
  readonly #end = new AbortController();
  #looking = false;

  constructor(place: ReplyPlace) {
    this.#place = place;
  }

  /** Called when a reply stands still; looks until its state is known to be stale, or the follower ends. */
  async look(quietMs: number): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { root, session, id } = this.#place;
    const stoppedAt = performance.now() - quietMs;
    while (!this.#end.signal.aborted) {
      const state = await replyState(root, session, id).catch(() => undefined);
      if (state === "stale") {
        const quiet = duration(performance.now() - stoppedAt);
        const command = commandLine("reply", this.#place);
        return note(
          `The reply has not grown for ${quiet} and its writer is gone; \`${command} --restart\` begins anew`,
        );
      }
      await denoHost.clock.sleep(LOOK_AGAIN_MS, this.#end.signal).catch(() => {});
    }
  }

  [Symbol.dispose]() {
    this.#end.abort();
  }
}
