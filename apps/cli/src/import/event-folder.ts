import { appendFile, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunName, SeriesName } from '#model';
import { EventRecords } from '#points';
import { MessageWriter, summaryMetadataMessage, tensorMessage } from '#protocols';
import { CliError, exitCodes } from '../exit.ts';
import { placeFolders, safeRelativePath } from '../local/safe-path.ts';
import { makeFolders, temporaryFor } from '../local/write-file.ts';
import type { ConfigValue, ImportedScalars, ImportedText, ImportSink } from './import-sink.ts';

/** Maximum bytes of records in memory, across all files. */
const maxBufferedBytes = 32 * 1024 * 1024;
/** TensorBoard's numbers for session states. */
const statuses = { success: 1, failure: 2 } as const;
const nothing = new Uint8Array(0);

interface EventFile {
  readonly run: RunName;
  readonly writer: number;
  readonly temporary: string;
  records: EventRecords;
  written: boolean;
  first: number | null;
  readonly lastSteps: Map<string, bigint>;
}

/** The result of an import: the written and the skipped data. */
export interface ImportSummary {
  readonly runs: number;
  readonly files: number;
  readonly bytes: number;
  readonly points: number;
  readonly texts: number;
  readonly configs: number;
  /**
   * Number of points with a lower step than the previous point of the series. They count as
   * restarts.
   */
  readonly restarts: number;
  /**
   * Number of points with the same step as the previous point of the series, which they supersede.
   */
  readonly repeats: number;
  /** Runs with a different folder name, because the run's name is not safe as a path. */
  readonly renamed: readonly { readonly run: RunName; readonly folder: string }[];
  readonly skipped: readonly { readonly what: string; readonly why: string; readonly count: number }[];
}

/**
 * Writes the logs of other tools as event files, one per run and writer. The same input gives the
 * same bytes, so uploading the folder again adds nothing. Memory is bounded.
 */
export class EventFolder implements ImportSink {
  readonly #root: string;
  readonly #rejectsRestarts: boolean;
  readonly #files = new Map<string, EventFile>();
  readonly #skipped = new Map<string, { what: string; why: string; count: number }>();
  readonly #counts = { points: 0, texts: 0, configs: 0, restarts: 0, repeats: 0 };
  #buffered = 0;

  /** `rejectsRestarts`: a decreasing step is an error, not a restart. */
  constructor(root: string, { rejectsRestarts }: { readonly rejectsRestarts: boolean }) {
    this.#root = root;
    this.#rejectsRestarts = rejectsRestarts;
  }

  async scalars(points: ImportedScalars): Promise<void> {
    const { run, tag, writer, steps, wallTimes, values } = points;
    const file = this.#open(run, writer);
    const name = Buffer.from(tag);
    const before = file.records.length;
    let last = file.lastSteps.get(tag);
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]!;
      const metadata = last === undefined ? metadataOf('scalars', 'scalar') : null;
      if (step === last) this.#counts.repeats++;
      else if (last !== undefined && step < last) this.#restart(points, step, last);
      last = step;
      note(file, wallTimes[i]!);
      file.records.scalar({ tag: name, step, wallTime: wallTimes[i]!, metadata }, values[i]!);
    }
    if (last !== undefined) file.lastSteps.set(tag, last);
    this.#counts.points += steps.length;
    await this.#grow(file.records.length - before);
  }

  async text({ run, tag, step, wallTime, text }: ImportedText): Promise<void> {
    const file = this.#open(run, 0);
    const isFirst = !file.lastSteps.has(tag);
    file.lastSteps.set(tag, step);
    note(file, wallTime);
    this.#counts.texts++;
    const metadata = isFirst ? metadataOf('text', 'tensor') : null;
    await this.#tensor(file, { tag: Buffer.from(tag), step, wallTime, metadata }, stringTensor(text));
  }

  async config(run: RunName, config: Readonly<Record<string, ConfigValue>>, startTime: number): Promise<void> {
    const start = new MessageWriter();
    for (const [name, value] of Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)))
      start.bytes(1, new MessageWriter().bytes(1, name).bytes(2, protobufValue(value)).finish());
    if (startTime > 0) start.double(5, startTime);
    this.#counts.configs++;
    await this.#session({ run, tag: '_hparams_/session_start_info' }, new MessageWriter().bytes(3, start.finish()).finish(), startTime);
  }

  async end(run: RunName, status: 'success' | 'failure', endTime: number): Promise<void> {
    const end = new MessageWriter().varint(1, statuses[status]).double(2, endTime);
    await this.#session({ run, tag: '_hparams_/session_end_info' }, new MessageWriter().bytes(4, end.finish()).finish(), endTime);
  }

  skip(what: string, why: string, count = 1): void {
    const known = this.#skipped.get(`${what}\0${why}`) ?? { what, why, count: 0 };
    known.count += count;
    this.#skipped.set(`${what}\0${why}`, known);
  }

  /** Completes the files and gives them their final names. */
  async finish(): Promise<ImportSummary> {
    await this.#flush();
    const files = [...this.#files.values()];
    const starts = new Map<string, number>();
    for (const { run, first } of files) if (first !== null) starts.set(run, Math.min(starts.get(run) ?? Infinity, first));
    const folders = placeFolders(files.map(({ run }) => run));
    const renamed = new Map<string, string>();
    let bytes = 0;
    for (const { run, writer, temporary } of files) {
      // Files of a run that begin at the same time are separate writers, ordered by name.
      const start = starts.get(run) ?? 0;
      const handle = await open(temporary, 'r+');
      try {
        const head = version(start);
        await handle.write(head, 0, head.length, 0);
        await handle.sync();
      } finally {
        await handle.close();
      }
      const { folder } = folders.get(run)!;
      makeFolders(join(this.#root, folder));
      if (folder !== run && run !== '.') renamed.set(run, folder);
      const seconds = String(Math.max(0, Math.floor(start))).padStart(10, '0');
      const path = join(
        this.#root,
        folder,
        `events.out.tfevents.${seconds}.import${writer === 0 ? '' : `.${String(writer).padStart(4, '0')}`}`,
      );
      await rename(temporary, path);
      bytes += (await stat(path)).size;
    }
    return {
      runs: starts.size,
      files: files.length,
      bytes,
      ...this.#counts,
      renamed: [...renamed].map(([run, folder]) => ({ run, folder })),
      skipped: [...this.#skipped.values()],
    };
  }

  /** Removes what was written. */
  async abort(): Promise<void> {
    for (const { temporary } of this.#files.values()) await rm(temporary, { force: true });
  }

  #restart({ run, tag }: SeriesName, step: bigint, last: bigint): void {
    if (this.#rejectsRestarts)
      throw new CliError(
        exitCodes.failed,
        `The steps of ${tag} in ${run} decrease: step ${step} follows step ${last}. Sort the table by step. If the run restarted there, pass --allow-restarts: later points then supersede earlier points.`,
        { code: 'steps-go-back' },
      );
    this.#counts.restarts++;
  }

  async #session({ run, tag }: SeriesName, content: Uint8Array, wallTime: number): Promise<void> {
    const file = this.#open(run, 0);
    note(file, wallTime);
    const metadata = metadataOf('hparams', 'tensor', content);
    await this.#tensor(file, { tag: Buffer.from(tag), step: 0n, wallTime, metadata }, tensorMessage('float32', [1], new Uint8Array(4))!);
  }

  async #tensor(file: EventFile, place: Parameters<EventRecords['tensor']>[0], tensor: Uint8Array): Promise<void> {
    const before = file.records.length;
    file.records.tensor(place, tensor);
    await this.#grow(file.records.length - before);
  }

  #open(run: RunName, writer: number): EventFile {
    const key = `${writer} ${run}`;
    const known = this.#files.get(key);
    if (known) return known;
    const temporary = temporaryFor(join(this.#root, folderOf(run), 'events'));
    makeFolders(dirname(temporary));
    const file = {
      run,
      writer,
      temporary,
      records: new EventRecords(4096),
      written: false,
      first: null,
      lastSteps: new Map<string, bigint>(),
    };
    this.#files.set(key, file);
    return file;
  }

  async #grow(bytes: number): Promise<void> {
    this.#buffered += bytes;
    if (this.#buffered >= maxBufferedBytes) await this.#flush();
  }

  async #flush(): Promise<void> {
    for (const file of this.#files.values()) {
      if (file.records.length === 0 && file.written) continue;
      // The time of the first record is only known at the end; setting it does not change the
      // length.
      if (!file.written) await appendFile(file.temporary, version(0), { flag: 'wx' });
      await appendFile(file.temporary, file.records.finish());
      file.records = new EventRecords(4096);
      file.written = true;
    }
    this.#buffered = 0;
  }
}

function folderOf(run: RunName): string {
  return run === '.' ? '.' : safeRelativePath(run);
}

function note(file: EventFile, wallTime: number): void {
  if (Number.isFinite(wallTime) && wallTime > 0 && (file.first === null || wallTime < file.first)) file.first = wallTime;
}

function version(wallTime: number): Buffer {
  const records = new EventRecords(64);
  records.version(wallTime);
  return records.finish();
}

function metadataOf(plugin: string, dataClass: 'scalar' | 'tensor', pluginContent: Uint8Array = nothing): Buffer {
  return summaryMetadataMessage({ plugin, pluginContent, displayName: '', description: '', dataClass });
}

function stringTensor(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const packed = Buffer.alloc(4 + bytes.length);
  packed.writeUInt32BE(bytes.length);
  packed.set(bytes, 4);
  return tensorMessage('string', [1], packed)!;
}

/** google.protobuf.Value. */
function protobufValue(value: ConfigValue): Buffer {
  const message = new MessageWriter();
  if (typeof value === 'number') return message.double(2, value).finish();
  return (typeof value === 'string' ? message.bytes(3, value) : message.varint(4, value ? 1 : 0)).finish();
}
