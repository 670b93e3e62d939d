import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ExperimentId, isExperimentId } from '#model';
import { replaceFile } from './write-file.ts';

/**
 * The stored state of a log directory: its experiment, or the key of a pending creation whose
 * response has not arrived.
 */
export type Remembered = { readonly kind: 'experiment'; readonly id: ExperimentId } | { readonly kind: 'creating'; readonly key: string };

/**
 * Stores which experiment a log directory goes to, for each server.
 *
 * The state is in file *names*: `<place>.<number>.id-<experiment>` or
 * `<place>.<number>.key-<idempotency key>`; the highest number counts. A name exists completely or
 * not at all, so neither a truncated file nor a crash can lead to a wrong experiment or lose the
 * right experiment. The content of the files is only informative. The progress of each event file
 * is not stored here at all: the server's offsets are the source of truth.
 */
export class UploadMemory {
  readonly #folder: string;
  readonly #place: string;
  readonly #about: { server: string; directory: string };
  readonly #onUnwritable: (error: NodeJS.ErrnoException) => void;
  /** State that could not be written, kept for as long as the process runs. */
  #unwritten: Remembered | null = null;

  /**
   * `directory`: real path of the log directory. The first write creates `folder`; if that fails (a
   * read-only or full disk), `onUnwritable` is called once, and this object keeps the state in
   * memory only.
   */
  constructor(folder: string, server: string, directory: string, onUnwritable: (error: NodeJS.ErrnoException) => void = () => undefined) {
    this.#folder = folder;
    this.#onUnwritable = onUnwritable;
    this.#about = { server, directory };
    this.#place = createHash('sha256').update(`${server}\0${directory}`).digest('hex').slice(0, 32);
  }

  recall(): Remembered | null {
    return this.#unwritten ?? this.#entries().at(-1)?.remembered ?? null;
  }

  /**
   * Stores a creation before the request is sent: after a crash, the same experiment is requested
   * again. Returns its Idempotency-Key.
   */
  beginCreating(): string {
    const key = randomUUID();
    this.#add(`key-${key}`, { creating: key }, { kind: 'creating', key });
    return key;
  }

  remember(experimentId: ExperimentId): void {
    const last = this.recall();
    if (last?.kind === 'experiment' && last.id === experimentId) return;
    this.#add(`id-${experimentId}`, { experiment_id: experimentId }, { kind: 'experiment', id: experimentId });
  }

  forget(): void {
    this.#unwritten = null;
    for (const { file } of this.#entries()) rmSync(join(this.#folder, file), { force: true });
  }

  #add(what: string, about: Record<string, string>, remembered: Remembered): void {
    const said = this.#unwritten !== null;
    try {
      this.#write(what, about);
      this.#unwritten = null;
    } catch (error) {
      this.#unwritten = remembered;
      if (!said) this.#onUnwritable(error as NodeJS.ErrnoException);
    }
  }

  #write(what: string, about: Record<string, string>): void {
    const older = this.#entries();
    const number = (older.at(-1)?.number ?? 0) + 1;
    replaceFile(join(this.#folder, `${this.#place}.${number}.${what}`), `${JSON.stringify({ ...this.#about, ...about })}\n`);
    for (const { file } of older) rmSync(join(this.#folder, file), { force: true });
  }

  #entries(): { file: string; number: number; remembered: Remembered }[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch (error) {
      // An unreadable folder contains nothing usable. The next write reports that it is not
      // writable.
      if ((error as NodeJS.ErrnoException).code !== undefined) return [];
      throw error;
    }
    const entries = [];
    for (const file of names) {
      const match = /^([0-9a-f]{32})\.(\d{1,9})\.(?:id-([A-Za-z0-9]{22})|key-([0-9a-f-]{36}))$/.exec(file);
      if (match?.[1] !== this.#place) continue;
      const remembered: Remembered =
        match[3] && isExperimentId(match[3]) ? { kind: 'experiment', id: match[3] } : { kind: 'creating', key: match[4] ?? '' };
      entries.push({ file, number: Number(match[2]), remembered });
    }
    return entries.sort((a, b) => a.number - b.number);
  }
}
