/** How real agents start without a network and without a question: measured, and true for these versions only. */

/** What a set-up depends on. */
export interface Place {
  /** The agent's own home directory, made for it. */
  readonly home: string;
  /** The directory that it works in. */
  readonly project: string;
  /** Address of the mock model for this agent. */
  readonly modelUrl: string;
}

/** One agent. */
export interface AgentSetup {
  /** Its name in `src/pane/profiles/`. */
  readonly agent: string;
  /** Package on npm, its exact version, the name of its program. */
  readonly package: string;
  readonly version: string;
  readonly program: string;
  readonly args: readonly string[];
  env(place: Place): Readonly<Record<string, string>>;
  /** Files below its home, by path; each is written as JSON. */
  files(place: Place): Readonly<Record<string, unknown>>;
}

/** Keys are asked for and never looked at. */
const FAKE_KEY = "fake-key-of-the-mock-model-000000";

/** Gemini CLI and its descendant Qwen Code read the same settings. */
const quietSettings = (selectedType: string) => ({
  security: { auth: { selectedType }, folderTrust: { enabled: true } },
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  ide: { hasSeenNudge: true, enabled: false },
});

/** The agents that tests run, the cheapest first. */
export const AGENT_SETUPS: readonly AgentSetup[] = [
  {
    agent: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.15.10",
    program: "qwen",
    args: [],
    env: ({ modelUrl }) => ({
      OPENAI_API_KEY: FAKE_KEY,
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: "mock-model",
    }),
    files: ({ project }) => ({
      ".qwen/settings.json": quietSettings("openai"),
      ".qwen/trustedFolders.json": { [project]: "TRUST_FOLDER" },
    }),
  },
  {
    agent: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    args: [],
    env: ({ modelUrl }) => ({ GEMINI_API_KEY: FAKE_KEY, GOOGLE_GEMINI_BASE_URL: modelUrl }),
    files: ({ project }) => ({
      ".gemini/settings.json": quietSettings("gemini-api-key"),
      ".gemini/trustedFolders.json": { [project]: "TRUST_FOLDER" },
    }),
  },
  {
    agent: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.197",
    program: "claude",
    args: [],
    env: ({ modelUrl }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: FAKE_KEY,
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    files: ({ project }) => ({
      ".claude.json": {
        hasCompletedOnboarding: true,
        theme: "dark",
        // It asks once about a key, and remembers the answer by the key's end.
        customApiKeyResponses: { approved: [FAKE_KEY.slice(-20)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      },
      ".claude/settings.json": { permissions: { defaultMode: "default" } },
    }),
  },
];
