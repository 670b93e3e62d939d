import { readFilesToJoin, type FileToJoin, type Store } from '#store';
import { Janitor, type JanitorOptions } from './janitor.ts';

/** Joins the segments of a file somewhere: in a thread of the pool. */
export interface JoinRunner {
  join(file: FileToJoin): Promise<void>;
}

const maxFilesPerRound = 1_000;

/**
 * Joins the segments of complete files, one file at a time and only those that were found complete a round ago: a burst of uploads has
 * the machine for itself, and what it left behind is packed afterwards. A file that could not be joined is tried again in the next round.
 */
export class OriginalsJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: JoinRunner;
  #seen = new Set<string>();

  constructor(store: Store, runner: JoinRunner, options: JanitorOptions) {
    super(options);
    this.#store = store;
    this.#runner = runner;
  }

  override async round(): Promise<void> {
    const files = await readFilesToJoin(this.#store.sweeper, maxFilesPerRound);
    const due = files.filter((file) => this.#seen.has(nameOf(file)));
    this.#seen = new Set(files.map(nameOf));
    // Several processes do this: they begin at different places, so that few files are joined twice. One that was joined meanwhile costs a look.
    const first = Math.floor(Math.random() * due.length);
    await this.doEach([...due.slice(first), ...due.slice(0, first)], (file) => this.#runner.join(file));
  }
}

function nameOf(file: FileToJoin): string {
  return `${file.tenantId}/${file.fileId}`;
}
