import { readFilesToJoin, type FileToJoin, type Store } from '#store';
import { Janitor, type JanitorOptions } from './janitor.ts';

/** Joins the segments of a file somewhere: in a thread of the pool. */
export interface JoinRunner {
  join(file: FileToJoin): Promise<void>;
}

/** How an {@link OriginalsJanitor} looks. */
export interface OriginalsJanitorOptions extends JanitorOptions {
  /** Complete files that one round looks at, at most; the next one goes on behind them. 1,000 by default. */
  readonly maxFiles?: number;
}

/**
 * Joins the segments of complete files, one file at a time and only those that have been complete for as long as a round and are all ingested: a burst of uploads has
 * the machine for itself, and what it left behind is packed afterwards. A file that could not be joined is tried again when its turn comes.
 */
export class OriginalsJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: JoinRunner;
  readonly #completeForMs: number;
  readonly #maxFiles: number;
  /** The file that the last round came to; null: it came to the end. */
  #after: FileToJoin | null = null;

  constructor(store: Store, runner: JoinRunner, options: OriginalsJanitorOptions) {
    super(options);
    this.#store = store;
    this.#runner = runner;
    this.#completeForMs = options.everyMs;
    this.#maxFiles = options.maxFiles ?? 1_000;
  }

  override async round(): Promise<void> {
    const { files, next } = await readFilesToJoin(this.#store.sweeper, this.#after, this.#maxFiles, this.#completeForMs);
    this.#after = next;
    // Several processes do this: they begin at different places, so that few files are joined twice. One that was joined meanwhile costs a look.
    const first = Math.floor(Math.random() * files.length);
    await this.doEach([...files.slice(first), ...files.slice(0, first)], (file) => this.#runner.join(file));
  }
}
