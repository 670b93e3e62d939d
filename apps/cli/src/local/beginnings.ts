import { closeSync, constants, openSync, readSync, type Stats } from 'node:fs';
import { type FirstBytes, firstBytesLooked, judgeFirstBytes } from './first-bytes.ts';

/**
 * Reads the first bytes of the files that were found. Files are read again only if they have
 * changed, so that a watcher puts little load on a network file system.
 */
export class Beginnings {
  readonly #known = new Map<string, string>();
  readonly #bytes = Buffer.alloc(firstBytesLooked);

  /**
   * Classifies the first bytes of a file. Returns null if the file cannot be opened; the uploader
   * reports why.
   */
  judge(path: string, { dev, ino, size, mtimeMs }: Stats): FirstBytes | null {
    if (size === 0) return { kind: 'empty' };
    const state = `${dev}:${ino}:${size}:${mtimeMs}`;
    if (this.#known.get(path) === state) return { kind: 'event-file' };
    let fd: number;
    try {
      fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch {
      return null;
    }
    try {
      const judged = judgeFirstBytes(this.#bytes.subarray(0, readSync(fd, this.#bytes, 0, firstBytesLooked, 0)));
      if (judged.kind === 'event-file') this.#known.set(path, state);
      else this.#known.delete(path);
      return judged;
    } catch {
      return null;
    } finally {
      closeSync(fd);
    }
  }

  /** Forgets removed files. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
  }
}
