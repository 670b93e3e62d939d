import { readUnfinishedDeletions, type Store, type WaitingDeletion } from '#store';
import { Janitor, type JanitorOptions } from '../janitor.ts';

/** Runs a deletion, in a thread of the pool. */
export interface DeletionRunner {
  delete(deletion: WaitingDeletion): Promise<void>;
}

const maxDeletionsPerRound = 100;

/**
 * Finds unclaimed deletions and runs them, one at a time. A worker leases each deletion, so if the
 * worker dies, the deletion is found again when the lease expires. Failures are recorded on the
 * deletion, which is then retried.
 */
export class DeletionJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: DeletionRunner;

  constructor(store: Store, runner: DeletionRunner, options: JanitorOptions) {
    super('deletions', options);
    this.#store = store;
    this.#runner = runner;
  }

  override async round(): Promise<void> {
    const deletions = await readUnfinishedDeletions(this.#store.sweeper, maxDeletionsPerRound);
    await this.doEach(deletions, (deletion) => this.#runner.delete(deletion));
  }
}
