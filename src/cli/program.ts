import { Command } from "@commander-js/extra-typings";
import config from "../../deno.json" with { type: "json" };
import { EXIT_TABLE } from "./exit.ts";
import { pollMs } from "./options.ts";

/** The root of the command tree: what all commands share. Commands are added by the files beside this one. */

const EXIT_HELP = EXIT_TABLE.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join("\n");

/** The tail of a command's help. */
export function example(line: string): string {
  return `\nExample:\n  $ ${line}`;
}

/** Describes `--session` where it may be left out because of the environment. */
export const SESSION_HELP = "the session (default: $CLAUDE_CODE_SESSION_ID)";

/** The same where a prompt id is enough. */
export const SESSION_OF_ID_HELP =
  "the session (default: $CLAUDE_CODE_SESSION_ID, or the only one whose inbox holds ID)";

function writeOut(text: string) {
  const bytes = new TextEncoder().encode(text);
  for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
}

/** The program without its commands. */
export function newProgram() {
  return new Command("deaddrop")
    .description("Prompts and replies as plain files in a directory that both sides can see.")
    .version(config.version)
    .option("--dir <dir>", "the root (default: $DEADDROP_DIR, else ~/dead_drop)")
    .option("--json", 'print data as JSON, one value per line; bytes as {"base64": …}')
    .option("--poll-ms <ms>", "milliseconds between two looks while waiting (default: 500)", pollMs)
    .addHelpText("after", `\nExit codes:\n${EXIT_HELP}\n\nText that is not given as an argument is read from stdin.`)
    .addHelpText("after", example('deaddrop ask lab "is CI green?" --timeout 600'))
    // The snake_case spellings work and are not shown, so usage lines are made without aliases.
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace("[options]", "").trim()}`.trim(),
      commandUsage: (command) => `${command.parent ? "deaddrop " : ""}${command.name()} ${command.usage()}`,
    })
    .configureOutput({
      writeOut,
      outputError: () => {}, // the error itself is thrown, and printed by `run`
      getOutHasColors: () => false, // asking would need permission to read the environment
      getErrHasColors: () => false,
    })
    .exitOverride();
}

/** The program as commands see it; its options reach them typed through `optsWithGlobals`. */
export type Program = ReturnType<typeof newProgram>;
