import { readUnfinishedDeletions, type Store, type WaitingDeletion } from '#store';
import { Janitor, type JanitorOptions } from '../janitor.ts';

/** Does a deletion somewhere: in a thread of the pool. */
export interface DeletionRunner {
  delete(deletion: WaitingDeletion): Promise<void>;
}

const maxDeletionsPerRound = 100;

/**
 * Finds deletions that nobody works on and has them done, one at a time. Each is leased by who works on it, and one whose worker died is found again when
 * its lease is over. What goes wrong is noted at the deletion, too, and it is tried again.
 */
export class DeletionJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: DeletionRunner;

  constructor(store: Store, runner: DeletionRunner, options: JanitorOptions) {
    super(options);
    this.#store = store;
    this.#runner = runner;
  }

  override async round(): Promise<void> {
    const deletions = await readUnfinishedDeletions(this.#store.sweeper, maxDeletionsPerRound);
    await this.doEach(deletions, (deletion) => this.#runner.delete(deletion));
  }
}
