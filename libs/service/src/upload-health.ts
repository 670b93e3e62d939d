import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '#blobs';
import { Health } from '#http';
import { parseTenantId, Problem } from '#model';

/** A tenant that does not exist, and a key that nobody writes. */
const nobody = parseTenantId('00000000-0000-0000-0000-000000000000');
const nothing = 'probe/readiness';

const maxResponseMs = 2_500;
/**
 * The route is public; regardless of how often it is called, the backends are checked at most once
 * in this time.
 */
const freshMs = 1_000;

/**
 * A process is ready if it can make bytes durable: the database accepts writes, and the object
 * store responds. The queue does not matter: no request waits for it.
 */
export class UploadHealth extends Health {
  readonly #assertWritable: () => Promise<void>;
  readonly #blobs: Pick<BlobStore, 'has'>;
  #asked: { readonly at: number; readonly response: Promise<string | null> } | null = null;

  /** `assertWritable`: throws a `Problem` unless the database accepts writes. */
  constructor(assertWritable: () => Promise<void>, blobs: Pick<BlobStore, 'has'>) {
    super();
    this.#assertWritable = assertWritable;
    this.#blobs = blobs;
  }

  override async whyDead(): Promise<null> {
    return null;
  }

  override whyNotReady(): Promise<string | null> {
    if (this.#asked === null || performance.now() - this.#asked.at > freshMs)
      this.#asked = { at: performance.now(), response: this.#ask() };
    return this.#asked.response;
  }

  async #ask(): Promise<string | null> {
    const timeout = new AbortController();
    const late = sleep(maxResponseMs, 'The object store does not answer.', { signal: timeout.signal }).catch(() => null);
    try {
      const objects = this.#blobs.has(nobody, nothing).then(
        () => null,
        (error: unknown) => {
          if (error instanceof Problem) return error.message;
          throw error;
        },
      );
      objects.catch(() => undefined); // may fail when no longer awaited
      await this.#assertWritable();
      return await Promise.race([objects, late]);
    } finally {
      timeout.abort();
    }
  }
}
