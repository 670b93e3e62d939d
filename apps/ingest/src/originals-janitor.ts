import { readFilesToJoin, type FileToJoin, type Store } from '#store';
import { Janitor, type JanitorOptions } from './janitor.ts';

/** Joins a file's segments, in a thread of the pool. */
export interface JoinRunner {
  join(file: FileToJoin): Promise<void>;
}

/** Settings of an {@link OriginalsJanitor}. */
export interface OriginalsJanitorOptions extends JanitorOptions {
  /** Files that were completed more recently than this are joined later. */
  readonly completeForMs: number;
  /** Number of complete files per round. The next round continues after them. */
  readonly maxFiles: number;
  /**
   * Whether a burst of uploads is being ingested. Joining waits until it is over, but at most
   * `maxWaitMs`.
   */
  readonly isBusy?: () => boolean;
}

/**
 * How long a burst of uploads can postpone joining. There is a limit because live runs always have
 * something pending.
 */
const maxWaitMs = 60_000;

/**
 * Joins the segments of complete files, one file at a time. A file must have been complete for some
 * time and be fully ingested. So joining does not compete with a burst of uploads, but packs its
 * files afterward. If a file could not be joined, it is retried when the rounds reach it again.
 */
export class OriginalsJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: JoinRunner;
  readonly #options: OriginalsJanitorOptions;
  /** The last file of the previous round. Null if the round reached the end. */
  #after: FileToJoin | null = null;
  #waitsSince: number | null = null;

  constructor(store: Store, runner: JoinRunner, options: OriginalsJanitorOptions) {
    super('originals', options);
    this.#store = store;
    this.#runner = runner;
    this.#options = options;
  }

  override async round(): Promise<void> {
    if (this.#waits()) return;
    const { completeForMs, maxFiles } = this.#options;
    const { files, next } = await readFilesToJoin(this.#store.sweeper, this.#after, maxFiles, completeForMs);
    this.#after = next;
    // Several processes do this, each in its own order, so that they rarely join the same file. A
    // file that has already been joined costs one lookup.
    const order = files.map((file) => ({ file, place: Math.random() })).toSorted((a, b) => a.place - b.place);
    await this.doEach(order, ({ file }) => this.#runner.join(file));
  }

  #waits(): boolean {
    const now = performance.now();
    if (!this.#options.isBusy?.()) this.#waitsSince = null;
    else if (now - (this.#waitsSince ??= now) < maxWaitMs) return true;
    return false;
  }
}
