import type { ReadFiles } from "../drop/read_bundle.ts";
import { printable } from "./stderr.ts";

/** The files of a prompt as people read them: texts under a heading each, other files as their path. */
export function listing(dir: string, files: ReadFiles): string {
  return Object.entries(files).map(([name, content]) => {
    const heading = `==> ${printable(name)} <==\n`;
    if (typeof content !== "string") return `${heading}(${content.length} bytes: ${printable(`${dir}/${name}`)})\n`;
    return heading + (content === "" || content.endsWith("\n") ? content : `${content}\n`);
  }).join("");
}
