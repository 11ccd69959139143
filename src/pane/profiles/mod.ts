/** The agents that this release knows, as data; `../profile.ts` checks them. */
import claude from "./claude.json" with { type: "json" };
import cline from "./cline.json" with { type: "json" };
import codex from "./codex.json" with { type: "json" };
import continued from "./continue.json" with { type: "json" };
import copilot from "./copilot.json" with { type: "json" };
import gemini from "./gemini.json" with { type: "json" };
import opencode from "./opencode.json" with { type: "json" };
import qwen from "./qwen.json" with { type: "json" };

/** In the order of their names. */
export const BUILT_IN: readonly unknown[] = [claude, cline, codex, continued, copilot, gemini, opencode, qwen];
