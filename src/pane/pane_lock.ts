import type { PaneRef } from "./multiplexer.ts";

/** One writer per pane, across processes: a file lock that the kernel releases when its holder dies. */

/**
 * Takes the lock of a pane.
 *
 * Requires read and write for `dir`, which is made when missing.
 *
 * @param dir Directory of the locks, the same for every process of this user.
 * @returns What to dispose of when done; `null` when another process is writing to the pane.
 */
export async function lockPane(dir: string, { target, server }: PaneRef): Promise<Disposable | null> {
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  const name = `${server.pid}-${server.startTime}-${target.replaceAll(/[^0-9A-Za-z]/g, "_")}.lock`;
  const file = await Deno.open(`${dir}/${name}`, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return { [Symbol.dispose]: () => file.close() };
  file.close();
  return null;
}
