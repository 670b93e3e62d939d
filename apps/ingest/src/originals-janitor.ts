import { readFilesToJoin, type FileToJoin, type Store } from '#store';
import { Janitor, type JanitorOptions } from './janitor.ts';

/** Joins the segments of a file somewhere: in a thread of the pool. */
export interface JoinRunner {
  join(file: FileToJoin): Promise<void>;
}

/** How an {@link OriginalsJanitor} looks. */
export interface OriginalsJanitorOptions extends JanitorOptions {
  /** A file that has not been complete for so long is left for later. */
  readonly completeForMs: number;
  /** Complete files that one round looks at; the next round goes on behind them. */
  readonly maxFiles: number;
  /** Whether a burst of uploads is being ingested. It has the machine for itself for at most `mostWaitMs`. */
  readonly isBusy?: () => boolean;
}

/** So long does a burst of uploads put off joining: live runs have something pending all the time. */
const mostWaitMs = 60_000;

/**
 * Joins the segments of complete files, one file at a time and only those that have been complete for some time and are all ingested: a burst
 * of uploads has the machine for itself, and what it left behind is packed afterwards. A file that could not be joined is tried again when the
 * rounds come to it again.
 */
export class OriginalsJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: JoinRunner;
  readonly #options: OriginalsJanitorOptions;
  /** The file that the last round came to; null: it came to the end. */
  #after: FileToJoin | null = null;
  #waitsSince: number | null = null;

  constructor(store: Store, runner: JoinRunner, options: OriginalsJanitorOptions) {
    super(options);
    this.#store = store;
    this.#runner = runner;
    this.#options = options;
  }

  override async round(): Promise<void> {
    if (this.#waits()) return;
    const { completeForMs, maxFiles } = this.#options;
    const { files, next } = await readFilesToJoin(this.#store.sweeper, this.#after, maxFiles, completeForMs);
    this.#after = next;
    // Several processes do this, each in an order of its own, so that fewer files are joined twice. One that was joined meanwhile costs a look.
    const order = files.map((file) => ({ file, place: Math.random() })).toSorted((a, b) => a.place - b.place);
    await this.doEach(order, ({ file }) => this.#runner.join(file));
  }

  #waits(): boolean {
    const now = performance.now();
    if (!this.#options.isBusy?.()) this.#waitsSince = null;
    else if (now - (this.#waitsSince ??= now) < mostWaitMs) return true;
    return false;
  }
}
