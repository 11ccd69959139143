/** Ending real agents: some outlive their pane, some leave daemons behind. Each has its home in its environment. */

/** How long a process has to end by itself, and how often it is looked at. */
const GRACE_MS = 3000;
const LOOK_MS = 20;

/** Ids of the processes that were started with this home directory. Linux only. */
export function processesOf(home: string): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    if (!Number.isInteger(pid) || pid === Deno.pid) return false;
    try {
      return `\0${Deno.readTextFileSync(`/proc/${pid}/environ`)}`.includes(`\0HOME=${home}\0`);
    } catch {
      return false; // it has ended, or is somebody else's
    }
  });
}

/** Ends every process with this home directory, each by its id, and waits until all are gone. */
export async function endAgents(home: string) {
  const end = performance.now() + GRACE_MS;
  for (let pids = processesOf(home); pids.length > 0; pids = processesOf(home)) {
    for (const pid of pids) {
      try {
        Deno.kill(pid, performance.now() < end ? "SIGTERM" : "SIGKILL");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
