import { readUnfinishedDeletions, type Store, type WaitingDeletion } from '#store';
import { IngestPoolClosed } from '../ingest-pool.ts';

/** Does a deletion somewhere: in a thread of the pool. */
export interface DeletionRunner {
  delete(deletion: WaitingDeletion): Promise<void>;
}

const maxDeletionsPerRound = 100;

/**
 * Finds deletions that nobody works on and has them done, one at a time. Several processes may do this: each deletion is leased by who works on it,
 * and one whose worker died is found again when its lease is over.
 */
export class DeletionJanitor {
  readonly #store: Store;
  readonly #runner: DeletionRunner;
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;
  #closing = false;

  constructor(store: Store, runner: DeletionRunner, everyMs: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.#runner = runner;
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** Starts the rounds, one at a time. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.round()
        .catch(this.#onError)
        .finally(() => {
          this.#round = null;
        });
    }, this.#everyMs);
  }

  /** One round. */
  async round(): Promise<void> {
    for (const deletion of await readUnfinishedDeletions(this.#store.sweeper, maxDeletionsPerRound)) {
      if (this.#closing) return;
      try {
        await this.#runner.delete(deletion);
      } catch (error) {
        if (error instanceof IngestPoolClosed) return;
        this.#onError(error); // noted at the deletion; it is tried again
      }
    }
  }

  /** No further rounds; resolves when the deletion that is being worked on is done, or given up. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#round;
  }
}
