import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunName } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import { filesBelow } from './files-below.ts';
import { flatConfig, type ImportedMoment, type ImportSink } from './import-sink.ts';
import { type ProtobufField, int64Of, partsOf, protobufFields, textOf } from './protobuf-fields.ts';
import { parsePythonJson } from './python-json.ts';
import { ScalarBatch } from './scalar-batch.ts';
import { DamagedRecord, wandbRecords } from './wandb-records.ts';

/**
 * Field numbers of wandb/proto/wandb_internal.proto, which W&B keeps stable because stored files
 * contain them.
 */
const record = { history: 2, summary: 3, output: 4, config: 5, files: 6, stats: 7, artifact: 8, tensorboard: 9, alert: 10, metric: 12, outputRaw: 13, run: 17, exit: 18, linkArtifact: 24, useArtifact: 25 } as const; // prettier-ignore

/** Records that event files cannot represent. */
const skippedRecords: Readonly<Record<number, readonly [what: string, why: string]>> = {
  [record.summary]: ['summary records', 'Plotline computes last, smallest and largest values itself'],
  [record.output]: ['lines of console output', 'they are not imported'],
  [record.outputRaw]: ['lines of console output', 'they are not imported'],
  [record.files]: ['file records', 'files are not imported'],
  [record.artifact]: ['artifacts', 'they are not imported'],
  [record.linkArtifact]: ['artifacts', 'they are not imported'],
  [record.useArtifact]: ['artifacts', 'they are not imported'],
  [record.tensorboard]: ['TensorBoard folders', 'upload them: they have event files'],
  [record.alert]: ['alerts', 'they are not imported'],
  [record.metric]: ['definitions of metrics', 'Plotline charts choose axes and summaries themselves'],
};

/**
 * Imports offline runs of Weights & Biases: a `.wandb` file, or a folder that contains such files.
 */
export async function importWandb(path: string, sink: ImportSink): Promise<void> {
  const files = (await stat(path)).isDirectory() ? (await filesBelow(path, '.wandb')).map((name) => join(path, name)) : [path];
  if (files.length === 0) throw new CliError(exitCodes.failed, `${path} contains no .wandb files.`, { code: 'nothing-to-import' });
  const names = new Map<string, string>();
  for (const file of files) await new WandbRun(file, sink, names).read();
}

class WandbRun {
  readonly #path: string;
  readonly #sink: ImportSink;
  readonly #names: Map<string, string>;
  readonly #batch: ScalarBatch;
  readonly #config: Record<string, unknown> = {};
  readonly #systemSteps = new Map<string, bigint>();
  #run: RunName | null = null;
  #startTime = 0;
  #lastTime = 0;
  #nextStep = 0n;
  #exitCode: bigint | null = null;

  /** `names`: the run ids by run name. */
  constructor(path: string, sink: ImportSink, names: Map<string, string>) {
    this.#path = path;
    this.#sink = sink;
    this.#names = names;
    this.#batch = new ScalarBatch(sink);
  }

  async read(): Promise<void> {
    try {
      for await (const bytes of wandbRecords(this.#path)) for (const field of protobufFields(bytes)) await this.#field(field);
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error;
      this.#sink.skip(`the rest of ${this.#path}`, error.message);
    }
    await this.#batch.flush();
    if (this.#run === null) return;
    const config = flatConfig(this.#config, (name) => this.#sink.skip(`configuration ${name}`, 'it has no value'));
    await this.#sink.config(this.#run, config, this.#startTime);
    if (this.#exitCode !== null)
      await this.#sink.end(this.#run, this.#exitCode === 0n ? 'success' : 'failure', this.#lastTime || this.#startTime);
  }

  async #field({ number, bytes }: ProtobufField): Promise<void> {
    if (number === record.run) this.#startRun(bytes);
    else if (number === record.history) await this.#history(bytes);
    else if (number === record.stats) await this.#stats(bytes);
    else if (number === record.config) this.#update(bytes);
    else if (number === record.exit) this.#exitCode = int64Of(bytes, 1) ?? 0n;
    else if (skippedRecords[number]) this.#sink.skip(...skippedRecords[number]);
  }

  /** Starts a run. A resumed run contains a second run record. */
  #startRun(bytes: Buffer): void {
    for (const config of partsOf(bytes, 4)) this.#update(config);
    if (this.#run !== null) return;
    const id = textOf(bytes, 1);
    const wanted = textOf(bytes, 8) || id || 'run';
    this.#run = (this.#names.get(wanted) ?? id) === id ? wanted : `${wanted}-${id}`;
    this.#names.set(this.#run, id);
    for (const time of partsOf(bytes, 17)) this.#startTime = secondsOf(time);
    this.#nextStep = int64Of(bytes, 14) ?? 0n;
    if (textOf(bytes, 9) !== '') this.#sink.skip('notes of runs', "add them on the run's page");
    if (partsOf(bytes, 10).length > 0) this.#sink.skip('tags of runs', 'label the runs on the page');
    if (textOf(bytes, 6) !== '') this.#config['wandb_group'] = textOf(bytes, 6);
    if (textOf(bytes, 7) !== '') this.#config['wandb_job_type'] = textOf(bytes, 7);
  }

  #update(bytes: Buffer): void {
    for (const item of partsOf(bytes, 1)) {
      const path = keyOf(item);
      if (path[0] === '_wandb') continue; // of the client itself
      let into: Record<string, unknown> = this.#config;
      for (const name of path.slice(0, -1)) into = into[name] = isObject(into[name]) ? into[name] : {};
      into[path.at(-1)!] = parsePythonJson(textOf(item, 16));
    }
    for (const item of partsOf(bytes, 2)) delete this.#config[keyOf(item).join('.')];
  }

  async #history(bytes: Buffer): Promise<void> {
    const run = this.#run;
    if (run === null) return this.#sink.skip('history records', 'no run record precedes them');
    const items = partsOf(bytes, 1).map((item) => [keyOf(item).join('.'), parsePythonJson(textOf(item, 16))] as const);
    const known = new Map(items);
    const [stepPart] = partsOf(bytes, 2);
    const logged = known.get('_step');
    const step = typeof logged === 'number' ? BigInt(logged) : stepPart ? (int64Of(stepPart, 1) ?? 0n) : this.#nextStep;
    this.#nextStep = step + 1n;
    const timestamp = known.get('_timestamp');
    const wallTime = typeof timestamp === 'number' ? timestamp : this.#startTime;
    this.#lastTime = Math.max(this.#lastTime, wallTime);
    // A histogram, an image … is an object with a type; its fields may be separate items
    const typed = items.filter(([key]) => key.endsWith('._type'));
    for (const [, type] of typed) this.#sink.skip(`values of the type ${String(type)}`, 'they are not imported');
    const at = { run, step, wallTime };
    const prefixes = typed.map(([key]) => key.slice(0, -'_type'.length));
    for (const [key, value] of items)
      if (!key.startsWith('_') && !prefixes.some((prefix) => key.startsWith(prefix))) await this.#value(at, key, value);
  }

  async #value(at: ImportedMoment, key: string, value: unknown): Promise<void> {
    if (typeof value === 'number') await this.#batch.add(at, key, value);
    else if (typeof value === 'boolean') await this.#batch.add(at, key, value ? 1 : 0);
    else if (typeof value === 'string' && notFinite.has(value)) await this.#batch.add(at, key, notFinite.get(value)!);
    else if (typeof value === 'string') await this.#sink.text({ ...at, tag: key, text: value });
    else if (isObject(value) && typeof value['_type'] === 'string')
      this.#sink.skip(`values of the type ${value['_type']}`, 'they are not imported');
    else if (isObject(value)) for (const [name, inner] of Object.entries(value)) await this.#value(at, `${key}.${name}`, inner);
    else this.#sink.skip('lists or empty values', 'only numbers and text are imported');
  }

  /** System metrics have times but no steps, so their values are counted as steps. */
  async #stats(bytes: Buffer): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    const [time] = partsOf(bytes, 2);
    const wallTime = time ? secondsOf(time) : this.#startTime;
    for (const item of partsOf(bytes, 3)) {
      const name = textOf(item, 1);
      const value = parsePythonJson(textOf(item, 16));
      const tag = `system/${name}`;
      const step = this.#systemSteps.get(tag) ?? 0n;
      if (typeof value !== 'number') this.#sink.skip('system metrics', 'their value is not a number');
      else await this.#batch.add({ run, step, wallTime }, tag, value);
      this.#systemSteps.set(tag, step + 1n);
    }
  }
}

const notFinite: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** HistoryItem, ConfigItem: a key, or the path to a nested key. */
function keyOf(item: Buffer): string[] {
  const nested = partsOf(item, 2).map(String);
  return nested.length > 0 ? nested : [textOf(item, 1)];
}

/** google.protobuf.Timestamp. */
function secondsOf(timestamp: Buffer): number {
  return Number(int64Of(timestamp, 1) ?? 0n) + Number(int64Of(timestamp, 2) ?? 0n) / 1e9;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
