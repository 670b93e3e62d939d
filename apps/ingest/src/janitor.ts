import { every, Rounds } from '#telemetry';
import { IngestPoolClosed } from './ingest-pool.ts';

/** How often a {@link Janitor} runs, and where it reports failures. */
export interface JanitorOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Periodically looks for cleanup work and runs it elsewhere, one round at a time. Several processes
 * can do this, because repeating a round is harmless.
 */
export abstract class Janitor {
  readonly #rounds: Rounds;
  readonly #onError: (error: unknown) => void;

  /** `name`: the name of the rounds in metrics. */
  constructor(name: string, { everyMs, onError }: JanitorOptions) {
    this.#onError = onError;
    this.#rounds = new Rounds(() => this.round(), {
      name,
      firstAfterMs: everyMs,
      pauseMs: every(everyMs),
      onError: (error) => this.#tell(error),
    });
  }

  /** Performs one round. */
  abstract round(): Promise<void>;

  /** Starts the rounds. */
  start(): void {
    this.#rounds.start();
  }

  /** Starts no further rounds. Resolves when the current work is done or abandoned. */
  close(): Promise<void> {
    return this.#rounds.close();
  }

  /** Whether to start no further work. */
  protected get isClosing(): boolean {
    return this.#rounds.isClosing;
  }

  /**
   * Processes the items of a round in order, until the janitor is closed. If an item fails, the
   * others continue.
   */
  protected async doEach<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      if (this.isClosing) return;
      try {
        await work(item);
      } catch (error) {
        this.#tell(error);
      }
    }
  }

  /** A shutdown of the service is not a failure. */
  #tell(error: unknown): void {
    if (!(error instanceof IngestPoolClosed)) this.#onError(error);
  }
}
