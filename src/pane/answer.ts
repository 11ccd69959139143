/** What a question to a multiplexer comes back as: a value, or why there is none. Never an exception. */

/**
 * Why there is no value:
 *
 * - `no-tmux`: the program could not be started; `no-server`: nothing listens on the socket; `network-socket`: the socket
 *   lies on a network file system and is not used; `gone`: the pane is not there any more, or its server is another one;
 *   `refused`: tmux said no. After these five nothing was done.
 * - `garbled`: there was an answer, but not one that tmux gives; `unknown`: there was none in time, or it broke off.
 *   After these two the command may have been carried out: look before doing it again.
 */
export type FailureReason =
  | "no-tmux"
  | "no-server"
  | "network-socket"
  | "gone"
  | "refused"
  | "garbled"
  | "unknown";

/** A question without a value. */
export interface Failure {
  readonly ok: false;
  readonly reason: FailureReason;
  /** One sentence for people. It may quote what tmux said, so it is data and not to be printed to a terminal as it is. */
  readonly message: string;
}

/** A value, or why there is none. */
export type Answer<T> = { readonly ok: true; readonly value: T } | Failure;

/** An answer with a value. */
export function value<T>(value: T): Answer<T> {
  return { ok: true, value };
}

/** An answer without one. */
export function failure(reason: FailureReason, message: string): Failure {
  return { ok: false, reason, message };
}

/** Whether the command behind this failure may have been carried out all the same. */
export function mayHaveRun({ reason }: Failure): boolean {
  return reason === "garbled" || reason === "unknown";
}

const QUOTE_CHARS = 200;

/** The first line of what a program said, short enough for a message. */
export function quote(text: string): string {
  const line = text.trim().split("\n")[0].replaceAll(/\p{Cc}/gu, "?");
  return `"${line.length > QUOTE_CHARS ? `${line.slice(0, QUOTE_CHARS)}…` : line}"`;
}

/** The failure behind tmux's own words, from its error stream or from an error block of its control mode. */
export function refusal(what: string, words: string): Failure {
  const said = `tmux answered ${what} with ${quote(words)}`;
  if (/^(no server running on|error connecting to) /m.test(words)) return failure("no-server", said);
  if (/^can't find (pane|window|session)/m.test(words)) return failure("gone", said);
  // It was there when the question was put, and is not any more.
  if (/^(server exited|lost server|\[server exited)/m.test(words)) return failure("unknown", said);
  return failure("refused", said);
}
