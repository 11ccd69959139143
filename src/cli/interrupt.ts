import { CliError, EXIT } from "./exit.ts";

/** Ctrl-C and SIGTERM: every wait of the program ends by one `AbortSignal`; a second signal ends the process as usual. */

const controller = new AbortController();

/** Aborts with a {@linkcode CliError} when the process is asked to end. */
export const interrupted: AbortSignal = controller.signal;

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGTERM"];

function onSignal() {
  for (const signal of SIGNALS) Deno.removeSignalListener(signal, onSignal);
  controller.abort(new CliError(EXIT.interrupted, "Interrupted"));
}

/** Starts listening. */
export function listenForSignals() {
  for (const signal of SIGNALS) Deno.addSignalListener(signal, onSignal);
}

/** `work`, or the reason of the interruption if that comes first. */
export async function unlessInterrupted<T>(work: Promise<T>): Promise<T> {
  interrupted.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(interrupted.reason);
  interrupted.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    interrupted.removeEventListener("abort", onAbort);
  }
}
