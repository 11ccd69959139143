import { Argument } from "@commander-js/extra-typings";
import { example, type Program } from "./program.ts";

/** `completions`: the script for a shell, and the hidden command `complete` that the script calls for every Tab. */

/** What is shown for options and arguments whose values cannot be known. */
const noValues = () => {};

export function addCompletions(program: Program) {
  program.command("completions")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .description("print the completion script for a shell")
    .addHelpText("after", example("deaddrop completions bash > ~/.local/share/bash-completion/completions/deaddrop"))
    .action(async (shell) => {
      const { script } = await import("@bomb.sh/tab");
      script(shell, program.name(), program.name());
    });

  program.command("complete [words...]", { hidden: true })
    .allowUnknownOption()
    .action(async (words, _, command) => {
      const { default: tab } = await import("@bomb.sh/tab");
      const sessions = await knownSessions(command.optsWithGlobals().dir);
      const offerSessions = (offer: (value: string, description: string) => void) => {
        for (const id of sessions) offer(id, "session");
      };
      for (const each of program.createHelp().visibleCommands(program)) {
        const completed = tab.command(each.name(), each.description());
        for (const option of [...each.options, ...program.options]) {
          const takesValue = option.required || option.optional;
          const values = option.attributeName() === "session" ? offerSessions : noValues;
          if (takesValue) completed.option(option.long!.slice(2), option.description, values);
          else completed.option(option.long!.slice(2), option.description);
        }
        for (const argument of each.registeredArguments) {
          completed.argument(argument.name(), argument.name() === "session" ? offerSessions : noValues);
        }
      }
      tab.parse(words);
    });
}

/** Sessions to offer; a root that cannot be listed offers none. */
async function knownSessions(dir: string | undefined): Promise<string[]> {
  try {
    const { rootOf } = await import("./place.ts");
    const { listSessions } = await import("../drop/session.ts");
    return await listSessions(rootOf(dir));
  } catch {
    return [];
  }
}
