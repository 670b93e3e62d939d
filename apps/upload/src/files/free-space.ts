import type { BlobStore } from '#blobs';
import { Problem } from '#model';

/**
 * Keeps a reserve of free disk space. Uploads are rejected before the database, which shares the
 * disk in embedded mode, runs out of space.
 */
export class FreeSpace {
  readonly #blobs: BlobStore;
  readonly #reserveBytes: number;
  #free: Promise<number | null> | null = null;
  #askedAt = -Infinity;

  constructor(blobs: BlobStore, reserveBytes: number) {
    this.#blobs = blobs;
    this.#reserveBytes = reserveBytes;
  }

  /**
   * Throws `insufficient-storage` while less space than the reserve is free. Queries the system at
   * most once a second.
   */
  async check(): Promise<void> {
    if (!this.#free || performance.now() - this.#askedAt > 1_000) {
      this.#askedAt = performance.now();
      this.#free = this.#blobs.freeBytes();
    }
    const free = await this.#free;
    if (free !== null && free < this.#reserveBytes) {
      throw new Problem('insufficient-storage', 'The server is nearly out of disk space and rejects uploads until space is free.', {
        extra: { free_bytes: free, reserve_bytes: this.#reserveBytes },
      });
    }
  }
}
