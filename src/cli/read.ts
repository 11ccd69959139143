import { quote } from "../drop/names.ts";
import { CliError, EXIT } from "./exit.ts";
import { example, type Program, SESSION_OF_ID_HELP } from "./program.ts";
import { print, printJson } from "./stdout.ts";

/** `read`: shows a prompt without claiming it. */
export function addRead(program: Program) {
  program.command("read <id>")
    .description("print a prompt without claiming it; a single file byte for byte, several under a heading each")
    .option("--session <id>", SESSION_OF_ID_HELP)
    .option("--file <name>", "only this file, byte for byte")
    .addHelpText("after", example("deaddrop read 20261201T120000000-whatis-1f0c2a --file plot.png > plot.png"))
    .action(async (id, _, command) => {
      const { dir, json, session, file } = command.optsWithGlobals();
      const { rootOf, sessionOfPrompt } = await import("./place.ts");
      const { readPrompt } = await import("../drop/prompt.ts");
      const root = rootOf(dir);
      const from = await sessionOfPrompt(root, id, session);
      let files = await readPrompt(root, from, id);
      if (file !== undefined) {
        if (!Object.hasOwn(files, file)) {
          const names = Object.keys(files).join(", ");
          throw new CliError(EXIT.failed, `Cannot read the file ${quote(file)} of ${id}: it holds ${names}`);
        }
        files = { [file]: files[file] };
      }
      if (json) return await printJson({ id, session: from, files });
      const contents = Object.values(files);
      if (contents.length === 1) return await print(contents[0]);
      const { listing } = await import("./listing.ts");
      await print(listing(`${root}/${from}/inbox/${id}`, files));
    });
}
