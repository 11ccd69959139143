/** The demo's answering side: describes the files of each prompt, word by word, as a model would stream them. */
import { prompts, replyStream } from "../../mod.ts";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Time between two words, so that one can see the answer grow. */
const WORD_MS = 60;

function describe(name: string, content: string | Uint8Array): string {
  if (typeof content === "string") {
    const lines = content.split("\n").filter((line) => line !== "").length;
    return `**${name}** is text: ${lines} lines, ${content.length} characters. It begins "${content.split("\n")[0]}".`;
  }
  if (PNG.every((byte, i) => content[i] === byte) && content.length >= 24) {
    const view = new DataView(content.buffer, content.byteOffset);
    return `**${name}** is a PNG picture of ${view.getUint32(16)} × ${
      view.getUint32(20)
    } pixels in ${content.length} bytes.`;
  }
  return `**${name}** is ${content.length} bytes of something that is not text.`;
}

const [root] = Deno.args;
for await (const { id, sessionId, files } of prompts(root, { sessionId: "demo-agent" })) {
  const { "prompt.md": question, ...attached } = files;
  const lines = Object.entries(attached).map(([name, content]) => `- ${describe(name, content)}`);
  const answer = `You asked: ${question}\n\n${
    lines.join("\n") || "There is nothing attached."
  }\n\nThat is all I can see.`;
  await replyStream(root, sessionId, id, async (w) => {
    for (const word of answer.split(/(?<=\s)/)) {
      await w.write(word);
      await new Promise((resolve) => setTimeout(resolve, WORD_MS));
    }
  });
}
