import type { PaneProcess } from "./facts.ts";

/** Which processes run under a pane. A name alone proves nothing: half of the agents are called `node`. */

/** A process as the kernel lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Its process group. */
  readonly group: number;
  /** The foreground process group of its terminal; -1 where it has none. */
  readonly terminalGroup: number;
  /** The kernel's short name of it. */
  readonly comm: string;
}

/** The processes of this machine; a fake one stands in for it in tests. */
export interface ProcessTable {
  /** All processes at about one moment. */
  list(): Promise<readonly ProcessRow[]>;
  /** The arguments of one, the program first; empty when it is gone or they cannot be read. */
  argv(pid: number): Promise<readonly string[]>;
}

/** A pane with more processes than this is cut off: whatever it is, it is not an agent at rest. */
const MAX_PROCESSES = 200;

/** The trees under several panes, each in the order of a walk down it; empty where the first process is gone. */
export async function processTrees(table: ProcessTable, pids: readonly number[]): Promise<PaneProcess[][]> {
  const rows = await table.list();
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const children = Map.groupBy(rows, (row) => row.parent);
  return await Promise.all(pids.map(async (pid) => {
    const root = byPid.get(pid);
    if (root === undefined) return [];
    const walked: { row: ProcessRow; depth: number }[] = [];
    const walk = (row: ProcessRow, depth: number) => {
      if (walked.length >= MAX_PROCESSES) return;
      walked.push({ row, depth });
      for (const child of children.get(row.pid) ?? []) walk(child, depth + 1);
    };
    walk(root, 0);
    return await Promise.all(walked.map(async ({ row, depth }) => ({
      depth,
      comm: row.comm,
      argv: await table.argv(row.pid),
      pid: row.pid,
      // Of the pane's own terminal: a tool with another one may be in the foreground there.
      foreground: root.terminalGroup < 0 ? null : row.group === root.terminalGroup,
    })));
  }));
}

/** Reads `/proc/PID/stat`; `null` for a text that is none. */
export function parseStat(text: string): ProcessRow | null {
  // The name stands in parentheses and may hold some itself, and blanks.
  const match = text.match(/^(\d+) \((.*)\) \S (\d+) (\d+) \d+ -?\d+ (-?\d+) /s);
  if (match === null) return null;
  const [, pid, comm, parent, group, terminalGroup] = match;
  return { pid: +pid, comm, parent: +parent, group: +group, terminalGroup: +terminalGroup };
}

/** Linux: reads `/proc`. Requires `--allow-read=/proc`. */
export const procTable: ProcessTable = {
  // Synchronous: the kernel answers these from memory, and a thousand promises cost more than the reads.
  list: () => {
    const rows: ProcessRow[] = [];
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const row = parseStat(Deno.readTextFileSync(`/proc/${name}/stat`));
        if (row !== null) rows.push(row);
      } catch {
        // it ended while the list was read
      }
    }
    return Promise.resolve(rows.sort((a, b) => a.pid - b.pid));
  },
  argv: (pid) => {
    try {
      const text = Deno.readTextFileSync(`/proc/${pid}/cmdline`);
      return Promise.resolve(text === "" ? [] : text.replace(/\0$/, "").split("\0"));
    } catch {
      return Promise.resolve([]);
    }
  },
};

/** Reads a line of `ps -o pid=,ppid=,pgid=,tpgid=,ucomm=`; `null` for a line that is none. */
export function parsePs(line: string): ProcessRow | null {
  const match = line.match(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(.*?)\s*$/);
  if (match === null) return null;
  const [, pid, parent, group, terminalGroup, comm] = match;
  // Where there is no terminal, macOS says 0 and Linux -1.
  return { pid: +pid, parent: +parent, group: +group, terminalGroup: +terminalGroup || -1, comm };
}

async function ps(...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command("ps", { args, stdin: "null", stderr: "null", env: { LC_ALL: "C" } })
    .output();
  return new TextDecoder().decode(stdout);
}

/** Where there is no `/proc`: asks `ps`, which joins the arguments by blanks. Requires `--allow-run=ps`. */
export const psTable: ProcessTable = {
  list: async () => {
    const lines = (await ps("-A", "-o", "pid=,ppid=,pgid=,tpgid=,ucomm=")).split("\n");
    return lines.map(parsePs).filter((row) => row !== null).sort((a, b) => a.pid - b.pid);
  },
  argv: async (pid) => {
    const line = (await ps("-ww", "-o", "args=", "-p", String(pid))).trim();
    return line === "" ? [] : line.split(/\s+/);
  },
};

/** The table of this machine. */
export function processTable(): ProcessTable {
  return Deno.build.os === "linux" ? procTable : psTable;
}
