import { readFilesToJoin, type FileToJoin, type Store } from '#store';
import { type IngestPool, IngestPoolClosed } from './ingest-pool.ts';

const maxFilesPerRound = 1_000;

/**
 * Joins the segments of complete files, one file at a time and only those that were found complete a round ago: a burst of uploads has
 * the machine for itself, and what it left behind is packed afterwards.
 */
export class OriginalsJanitor {
  readonly #store: Store;
  readonly #pool: IngestPool;
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  #seen = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;
  #closing = false;

  constructor(store: Store, pool: IngestPool, everyMs: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.#pool = pool;
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
    const files = await readFilesToJoin(this.#store.sweeper, maxFilesPerRound);
    const due = files.filter((file) => this.#seen.has(nameOf(file)));
    this.#seen = new Set(files.map(nameOf));
    // Several processes do this: they begin at different places, so that few files are joined twice. One that was joined meanwhile costs a look.
    const first = Math.floor(Math.random() * due.length);
    for (const file of [...due.slice(first), ...due.slice(0, first)]) {
      if (this.#closing) return;
      try {
        await this.#pool.join(file);
      } catch (error) {
        if (error instanceof IngestPoolClosed) return;
        this.#onError(error); // the others are joined all the same; this one is tried again in the next round
      }
    }
  }

  /** No further rounds; resolves when the file that is being joined is done. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#round;
  }
}

function nameOf(file: FileToJoin): string {
  return `${file.tenantId}/${file.fileId}`;
}
