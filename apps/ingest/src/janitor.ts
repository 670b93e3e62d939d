import { measureRound } from '#telemetry';
import { IngestPoolClosed } from './ingest-pool.ts';

/** How often a {@link Janitor} runs, and where it reports failures. */
export interface JanitorOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Periodically checks for cleanup work and runs it elsewhere, one round at a time. Several
 * processes may do this: repeating a round is harmless.
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

  /** The name of its rounds in metrics. */
  protected abstract readonly roundName: string;

  /** One round. */
  abstract round(): Promise<void>;

  /** Starts the rounds. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= measureRound(this.roundName, () => this.round())
        .catch((error: unknown) => this.#tell(error))
        .finally(() => {
          this.#round = null;
        });
    }, this.#everyMs);
  }

  /** Starts no further rounds; resolves when the current work is done or abandoned. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#round;
  }

  /** Start no further work. */
  protected get isClosing(): boolean {
    return this.#closing;
  }

  /**
   * Processes the items of a round in order, until the janitor is closed. A failing item does not
   * stop the others.
   */
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

  /** A shutdown of the service is not a failure. */
  #tell(error: unknown): void {
    if (!(error instanceof IngestPoolClosed)) this.#onError(error);
  }
}
