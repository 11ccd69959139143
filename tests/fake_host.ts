/** A real file system and clock whose faults are options. Everything not named in the options is this machine's own. */
import { denoHost, type Fs, type Host } from "../mod.ts";

/** Faults, each off unless named. */
export interface Faults {
  /** The wall clock is off by this much; the file system's stamps are not. */
  readonly clockOffsetMs?: number;
  /** Sleeps take no time, and the monotonic clock goes on by their length. */
  readonly instantSleep?: boolean;
  /** The disk is full once this many bytes were written through this host. */
  readonly diskBytes?: number;
  /** Every read returns at most this many bytes. */
  readonly readBytes?: number;
  /** `watchFs` throws, as where there is no such support. */
  readonly noEvents?: boolean;
  /** `watchFs` works and never reports anything, as for other hosts' writes on NFS. */
  readonly silentEvents?: boolean;
  /** Modification times move in steps of this size. */
  readonly mtimeStepMs?: number;
  /** Modification times never move. */
  readonly frozenMtime?: boolean;
  /** No hard links, as on FAT. */
  readonly noLinks?: boolean;
  /** No file locks, as on some network file systems. */
  readonly noLocks?: boolean;
  /** Another boot of another machine, as its claims look to us. */
  readonly bootTag?: string | null;
  /** Called before each call; what it returns is thrown. */
  readonly fail?: (call: keyof Fs, path: string) => Error | undefined;
}

/** What went through a host. */
export interface Counters {
  bytesRead: number;
  bytesWritten: number;
  calls: Map<string, number>;
}

/** An error as the system makes it. */
export function systemError(code: string, message = code): Error {
  return Object.assign(new Error(`${message} (os error 0)`), { code });
}

/** Makes a host with faults, and the counters of what went through it. */
export function fakeHost(faults: Faults = {}): { host: Host; counters: Counters } {
  const counters: Counters = { bytesRead: 0, bytesWritten: 0, calls: new Map() };
  let slept = 0;
  const before = (call: keyof Fs, path: string | URL) => {
    counters.calls.set(call, (counters.calls.get(call) ?? 0) + 1);
    const error = faults.fail?.(call, String(path));
    if (error !== undefined) throw error;
  };
  const file = (real: Deno.FsFile): Deno.FsFile =>
    new Proxy(real, {
      get(target, key) {
        if (key === "write") {
          return async (bytes: Uint8Array) => {
            const room = (faults.diskBytes ?? Infinity) - counters.bytesWritten;
            if (room <= 0) throw systemError("ENOSPC", "No space left on device");
            const count = await target.write(bytes.subarray(0, Math.min(bytes.length, room)));
            counters.bytesWritten += count;
            return count;
          };
        }
        if (key === "read") {
          return async (bytes: Uint8Array) => {
            const count = await target.read(bytes.subarray(0, faults.readBytes ?? bytes.length));
            counters.bytesRead += count ?? 0;
            return count;
          };
        }
        if ((key === "tryLock" || key === "lock") && faults.noLocks) {
          return () => Promise.reject(systemError("ENOTSUP", "Operation not supported"));
        }
        const value = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const stamp = (info: Deno.FileInfo): Deno.FileInfo => {
    const step = faults.mtimeStepMs ?? 1;
    const mtime = info.mtime && new Date(faults.frozenMtime ? 0 : Math.floor(info.mtime.getTime() / step) * step);
    return { ...info, mtime };
  };
  const fs: Fs = {
    chmod: (path, mode) => (before("chmod", path), Deno.chmod(path, mode)),
    async link(from, to) {
      before("link", from);
      if (faults.noLinks) throw systemError("EPERM", "Operation not permitted");
      await Deno.link(from, to);
    },
    async lstat(path) {
      before("lstat", path);
      return stamp(await Deno.lstat(path));
    },
    async mkdir(path, options) {
      before("mkdir", path);
      await Deno.mkdir(path, options);
    },
    async open(path, options) {
      before("open", path);
      return file(await Deno.open(path, options));
    },
    readDir(path) {
      before("readDir", path);
      return Deno.readDir(path);
    },
    async remove(path, options) {
      before("remove", path);
      await Deno.remove(path, options);
    },
    async rename(from, to) {
      before("rename", from);
      await Deno.rename(from, to);
    },
    async utime(path, atime, mtime) {
      before("utime", path);
      await Deno.utime(path, atime, mtime);
    },
    watchFs(paths, options) {
      before("watchFs", String(paths));
      if (faults.noEvents) throw systemError("ENOSPC", "inotify watches are used up");
      if (!faults.silentEvents) return Deno.watchFs(paths, options);
      const closed = Promise.withResolvers<IteratorResult<Deno.FsEvent>>();
      const close = () => closed.resolve({ done: true, value: undefined });
      return Object.assign({ [Symbol.asyncIterator]: () => ({ next: () => closed.promise }) }, {
        close,
        return: () => closed.promise,
        [Symbol.dispose]: close,
      }) as unknown as Deno.FsWatcher;
    },
  };
  const { clock } = denoHost;
  const host: Host = {
    fs,
    clock: {
      now: () => clock.now() + (faults.clockOffsetMs ?? 0),
      monotonic: () => clock.monotonic() + slept,
      async sleep(ms, signal) {
        if (!faults.instantSleep) return await clock.sleep(ms, signal);
        await clock.sleep(0, signal); // let events and other work run in between
        slept += ms;
      },
    },
    random: denoHost.random,
    bootTag: () => faults.bootTag === undefined ? denoHost.bootTag() : Promise.resolve(faults.bootTag),
  };
  return { host, counters };
}

/** A temporary directory that is removed at the end of its block. */
export async function tempDir(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "deaddrop-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Every path below `dir`, directories ending in a slash, sorted. */
export async function tree(dir: string, prefix = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of Deno.readDir(dir)) {
    const path = prefix + entry.name;
    paths.push(entry.isDirectory ? `${path}/` : path);
    if (entry.isDirectory) paths.push(...await tree(`${dir}/${entry.name}`, `${path}/`));
  }
  return paths.sort();
}

/** Resolves once `condition` holds; looks again after every turn of the event loop and gives up after `timeoutMs`. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!await condition()) {
    if (performance.now() > deadline) throw new Error(`not reached within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
