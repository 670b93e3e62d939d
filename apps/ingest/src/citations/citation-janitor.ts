import { readWaitingCitations, type Store, type WaitingCitation } from '#store';
import { Janitor, type JanitorOptions } from '../janitor.ts';

/** Works on citations, in a thread of the pool. */
export interface CitationRunner {
  digestCitation(citation: WaitingCitation): Promise<void>;
}

const maxPerRound = 20;
/** After this many attempts, the page says that there is no digest. */
const maxAttempts = 20;

/** Computes the digests of citations, one at a time per process and per workspace. */
export class CitationJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: CitationRunner;

  constructor(store: Store, runner: CitationRunner, options: JanitorOptions) {
    super('citations', options);
    this.#store = store;
    this.#runner = runner;
  }

  override async round(): Promise<void> {
    const waiting = await readWaitingCitations(this.#store.sweeper, maxPerRound, maxAttempts);
    await this.doEach(waiting, (citation) => this.#runner.digestCitation(citation));
  }
}
