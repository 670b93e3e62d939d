import { IngestPoolClosed } from './ingest-pool.ts';

/** How often a {@link Janitor} looks, and who is told of what goes wrong. */
export interface JanitorOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Looks now and then whether there is something to clear up, and has it done elsewhere, one round at a time. Several processes may do this: what a
 * round does is harmless twice.
 */
export abstract class Janitor {
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;
  #closing = false;

  constructor({ everyMs, onError }: JanitorOptions) {
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** One round. */
  abstract round(): Promise<void>;

  /** Starts the rounds. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.round()
        .catch((error: unknown) => this.#tell(error))
        .finally(() => {
          this.#round = null;
        });
    }, this.#everyMs);
  }

  /** No further rounds; resolves when what is being worked on is done, or given up. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#round;
  }

  /** Does the items of a round in turn, until the janitor is closed. One that fails does not keep the others from being done. */
  protected async doEach<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      if (this.#closing) return;
      try {
        await work(item);
      } catch (error) {
        this.#tell(error);
      }
    }
  }

  /** That the service stops is nobody's fault. */
  #tell(error: unknown): void {
    if (!(error instanceof IngestPoolClosed)) this.#onError(error);
  }
}
