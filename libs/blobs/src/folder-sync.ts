import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes the file names in folders durable: a file renamed into a folder survives a power failure
 * only once the folder itself is synced. Callers that arrive during a sync of the same folder share
 * the next sync, so many files need few syncs.
 */
export class FolderSync {
  readonly #root: string;
  /** Existing folders with durable names. */
  readonly #made = new Map<string, Promise<void>>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** `root` must exist; folders are created only below it. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Creates the folder and its parents up to the root, durably. */
  make(folder: string): Promise<void> {
    if (folder === this.#root) return Promise.resolve();
    let made = this.#made.get(folder);
    if (!made) {
      made = this.#makeNow(folder);
      this.#made.set(folder, made);
      made.catch(() => this.#made.delete(folder)); // the caller gets the error; the next caller retries
    }
    return made;
  }

  async #makeNow(folder: string): Promise<void> {
    const above = dirname(folder);
    await this.make(above);
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await this.sync(above); // even if it existed: its creator may not have reached its sync
  }

  /** Call when something else has removed the folder, so that it no longer counts as created. */
  forget(folder: string): void {
    this.#made.delete(folder);
  }

  /** Resolves when every current name in the folder is durable. */
  sync(folder: string): Promise<void> {
    const running = this.#running.get(folder);
    if (!running) return this.#start(folder);
    let next = this.#next.get(folder);
    if (!next) {
      const start = () => {
        this.#next.delete(folder);
        return this.#start(folder);
      };
      next = running.then(start, start);
      this.#next.set(folder, next);
    }
    return next;
  }

  #start(folder: string): Promise<void> {
    const sync = syncFolder(folder).finally(() => this.#running.delete(folder));
    this.#running.set(folder, sync);
    return sync;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
