import { MarkerGuard } from "./marker.ts";
import { openNew, writeAll } from "./atomic.ts";
import { cannot, DeadDropError } from "./error.ts";
import type { Host } from "./host.ts";

/** A file that is read while it is written: exclusive creation, appends in order, the marker at the end. */

/** What a body of `stream` or `replyStream` writes to. */
export interface StreamWriter {
  /**
   * Appends text, which readers see at once; text that looks like the end marker waits until more follows.
   *
   * Calls may overlap; the pieces land in the order of the calls.
   *
   * @throws {DeadDropError} `system` when the disk refuses; the file then stays unfinished.
   */
  write(chunk: string): Promise<void>;
}

/** The writer behind a {@linkcode StreamWriter}. */
export class AppendFile implements StreamWriter {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  readonly #guard = new MarkerGuard();
  #last: Promise<void> = Promise.resolve();
  #state: "open" | "failed" | "closed" = "open";

  private constructor(path: string, file: Deno.FsFile) {
    this.#path = path;
    this.#file = file;
  }

  /** Creates `path`. @throws `Deno.errors.AlreadyExists` when it is there. */
  static async create(host: Host, path: string): Promise<AppendFile> {
    return new AppendFile(path, await openNew(host, path, { append: true }));
  }

  write(chunk: string): Promise<void> {
    const result = this.#last.then(() => this.#append(() => this.#guard.push(chunk)));
    this.#last = result.catch(() => {}); // told to this caller, and to `end` through the state
    return result;
  }

  async #append(text: () => string): Promise<void> {
    if (this.#state !== "open") {
      const why = this.#state === "failed" ? "an earlier write failed" : "it is closed";
      throw new DeadDropError("system", `Cannot write ${this.#path}: ${why}; restart the reply`);
    }
    try {
      const bytes = new TextEncoder().encode(text());
      if (bytes.length > 0) await writeAll(this.#file, bytes);
    } catch (error) {
      this.#state = "failed";
      throw cannot("write", this.#path, error);
    }
  }

  /** Writes the end marker, after every write before it, and flushes when `durable`. */
  async end(durable: boolean): Promise<void> {
    await this.#last;
    try {
      await this.#append(() => this.#guard.end());
      if (durable) await this.#file.sync();
    } catch (error) {
      throw cannot("write", this.#path, error);
    } finally {
      this.#close();
    }
  }

  /** Stops without an end: the file stays as it is and never reads as a complete one. */
  async abandon(): Promise<void> {
    await this.#last;
    this.#close();
  }

  #close() {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#file.close();
  }
}
