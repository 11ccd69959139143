import { DeadDropError } from "../drop/error.ts";

/** How the program ends: one table of exit codes, and the one line that a failure prints. */

/** Every exit code, by what it says. */
export const EXIT = {
  done: 0,
  failed: 1,
  refused: 2,
  nothing: 3,
  held: 4,
  unknown: 5,
  interrupted: 130,
} as const;

/** One of {@linkcode EXIT}. */
export type ExitCode = typeof EXIT[keyof typeof EXIT];

/** The table as the help shows it. */
export const EXIT_TABLE: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, "done"],
  [EXIT.failed, "failed: the system refused, or what was asked for is not there"],
  [EXIT.refused, "wrong usage, or refused: an unsafe name, a name that is taken, a reply that stands"],
  [EXIT.nothing, "timed out, or nothing is pending"],
  [EXIT.held, "held: not delivered, still queued"],
  [EXIT.unknown, "unknown: may have been typed"],
  [EXIT.interrupted, "interrupted"],
];

/** A failure that the program itself found; `message` is a sentence without a final full stop. */
export class CliError extends Error {
  /** What the process exits with. */
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

/** Wrong usage, or a value that is refused. */
export function refused(message: string): CliError {
  return new CliError(EXIT.refused, message);
}

/** The exit code that stands for `error`. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (!(error instanceof DeadDropError)) return EXIT.failed;
  switch (error.code) {
    case "bad-input":
    case "exists":
    case "reply-taken":
    case "wrong-kind":
      return EXIT.refused;
    case "timeout":
      return EXIT.nothing;
    case "missing":
    case "arriving":
    case "replaced":
    case "system":
      return EXIT.failed;
  }
}
