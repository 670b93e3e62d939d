import { join } from 'node:path';
import type { DataClass } from '#model';
import { EventRecords } from '#points';
import { summaryMetadataMessage, tensorMessage } from '#protocols';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { asArray, asObject, intField, type Json, stringField, UnexpectedAnswer } from '../http/json.ts';
import { EventLanes } from './event-lanes.ts';
import { placeFiles } from './raw.ts';
import { scalarPages } from './scalar-pages.ts';

/** The result of an export of event files. */
export interface EventsExport {
  readonly files: number;
  readonly bytes: number;
  readonly points: number;
  readonly tensors: number;
  readonly blobSequences: number;
  /** Superseded values: event files of an export have only effective ones. */
  readonly superseded: number;
  /** Blobs that the service does not have; empty ones are written in their place. */
  readonly missingBlobs: number;
  /** Runs whose folder has another name, because theirs is not safe as a path. */
  readonly renamed: readonly { readonly run: string; readonly path: string }[];
}

interface Series {
  readonly tag: string;
  readonly writer: number;
  readonly dataClass: DataClass;
  readonly metadata: Uint8Array;
  readonly firstStep: bigint;
  readonly lastStep: bigint;
}

/** Values in one request; a response that has fewer than there are is requested in parts. */
const valuesAtOnce = 20_000;
/** Blobs that are fetched at the same time. */
const fetchesAtOnce = 8;

/**
 * Writes every effective value of an experiment as event files, one per run and writer, which
 * TensorBoard and every other reader of event files open. Numbers, tensors and blobs are exact, and
 * uploading the files again stores the same points. Needs memory for one page.
 */
export async function exportEvents(
  api: Api,
  experimentId: string,
  outdir: string,
  progress: (runs: number) => void,
): Promise<EventsExport> {
  const total = { files: 0, bytes: 0, points: 0, tensors: 0, blobSequences: 0, superseded: 0, missingBlobs: 0 };
  const runs: { run: string; startTime: number | null }[] = [];
  for await (const run of api.pages(`/experiments/${experimentId}/runs`, 'runs', 'Listing runs')) {
    runs.push({ run: stringField(run, 'run'), startTime: typeof run['start_time'] === 'number' ? run['start_time'] : null });
  }
  const placed = new Map(placeFiles(runs.map(({ run, startTime }) => fileOf(run, startTime))).map((one) => [one.file.run, one]));
  for (const [i, { run, startTime }] of runs.entries()) {
    const { path } = placed.get(run)!;
    const pathOf = (writer: number) => join(outdir, writer === 0 ? path : `${path}.${String(writer).padStart(4, '0')}`);
    const lanes = new EventLanes(pathOf, startTime);
    try {
      const part = await writeRun(api, experimentId, run, lanes);
      const { paths, bytes } = await lanes.finish();
      total.files += paths.length;
      total.bytes += bytes;
      for (const name of ['points', 'tensors', 'blobSequences', 'superseded', 'missingBlobs'] as const) total[name] += part[name];
    } catch (error) {
      await lanes.abort();
      throw error;
    }
    progress(i + 1);
  }
  const renamed = [...placed.values()].filter((one) => one.renamed).map(({ file, path }) => ({ run: file.run, path }));
  return { ...total, renamed };
}

/** The event file of the first writer of a run, in the form of a listed file. */
function fileOf(run: string, startTime: number | null) {
  const seconds = String(Math.floor(startTime ?? 0)).padStart(10, '0');
  const name = `events.out.tfevents.${seconds}.plotline`;
  return { fileId: '', run, name, version: 1, bytes: 0, crc32c: 0, contentCrc32c: null, rewritten: false, complete: true, copyOf: null, replaced: false }; // prettier-ignore
}

async function writeRun(api: Api, experimentId: string, run: string, lanes: EventLanes) {
  const { list, superseded } = await listSeries(api, experimentId, run);
  const writer = new RunWriter(list, lanes);
  const counts = { points: 0, tensors: 0, blobSequences: 0, superseded, missingBlobs: 0 };
  const ofClass = (dataClass: DataClass) => list.filter((series) => series.dataClass === dataClass);
  if (ofClass('scalar').length > 0) {
    for await (const { tag, writer: lane, steps, wallTimes, values } of scalarPages(api, experimentId, {
      superseded: false,
      runs: [run],
    })) {
      counts.points += steps.length;
      await writer.write(tag, lane, wallTimes, (records, place, i) => records.scalar(place(steps[i]!), values[i]!));
    }
  }
  for await (const { tag, writer: lane, points } of blobSequences(api, experimentId, run, ofClass('blob_sequence'))) {
    for (const { step, wallTime, blobs } of points) {
      counts.blobSequences++;
      counts.missingBlobs += blobs.filter((blob) => blob === null).length;
      const bytes = await fetchAll(api, blobs);
      await writer.write(tag, lane, [wallTime], (records, place) => records.blobs(place(step), bytes));
    }
  }
  // Last: values that do not fit the class of their tag follow the value that decides the class.
  for await (const { tag, writer: lane, steps, wallTimes, tensors } of tensorPages(api, experimentId, run, ofClass('tensor'))) {
    counts.tensors += steps.length;
    await writer.write(tag, lane, wallTimes, (records, place, i) => records.tensor(place(steps[i]!), tensors[i]!));
  }
  return counts;
}

/** Writes the values of a run, with the metadata of a tag before its first value of each file. */
class RunWriter {
  readonly #lanes: EventLanes;
  readonly #metadata = new Map<string, Uint8Array>();
  readonly #described = new Set<string>();

  constructor(list: readonly Series[], lanes: EventLanes) {
    this.#lanes = lanes;
    // The first of a tag decides its class; the unlisted one behind it has what does not fit.
    for (const { tag, metadata } of list) if (!this.#metadata.has(tag)) this.#metadata.set(tag, metadata);
  }

  async write(
    tag: string,
    lane: number,
    wallTimes: ArrayLike<number>,
    one: (records: EventRecords, place: (step: bigint) => Parameters<EventRecords['scalar']>[0], i: number) => void,
  ): Promise<void> {
    const bytes = Buffer.from(tag);
    const key = `${lane} ${tag}`;
    const records = new EventRecords(Math.min(wallTimes.length * 80 + 1024, 8 * 1024 * 1024));
    let first: number | null = null;
    for (let i = 0; i < wallTimes.length; i++) {
      const wallTime = wallTimes[i]!;
      if (Number.isFinite(wallTime) && (first === null || wallTime < first)) first = wallTime;
      const metadata = this.#described.has(key) ? null : this.#metadata.get(tag)!;
      this.#described.add(key);
      one(records, (step) => ({ tag: bytes, step, wallTime, metadata }), i);
    }
    await this.#lanes.append(lane, records.finish(), first);
  }
}

async function listSeries(api: Api, experimentId: string, run: string): Promise<{ list: Series[]; superseded: number }> {
  const list: Series[] = [];
  let superseded = 0;
  const path = `/experiments/${experimentId}/series?unlisted=true&plugin_content=true&run=${encodeURIComponent(run)}`;
  for await (const series of api.pages(path, 'series', 'Listing series')) {
    superseded += intField(series, 'superseded_points');
    if (series['first_step'] === null) continue;
    const dataClass = stringField(series, 'data_class') as DataClass;
    list.push({
      tag: stringField(series, 'tag'),
      writer: writerOf(series),
      dataClass,
      firstStep: BigInt(series['first_step'] as string),
      lastStep: BigInt(series['last_step'] as string),
      metadata: summaryMetadataMessage({
        plugin: stringField(series, 'plugin'),
        pluginContent: Buffer.from(stringField(series, 'plugin_content'), 'base64'),
        displayName: stringField(series, 'display_name'),
        description: stringField(series, 'description'),
        dataClass: series['listed'] === true ? dataClass : null,
      }),
    });
  }
  return { list, superseded };
}

function writerOf(series: Json): number {
  return series['writer'] === undefined ? 0 : intField(series, 'writer');
}

/** A range of steps of some tags of a run. */
interface ValuesQuery {
  readonly tags: readonly string[];
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * All effective values of some series: the tags in one request if the service can answer it, or
 * else in halves, down to a single step of one tag.
 */
async function* valuePages(
  api: Api,
  kind: 'tensors' | 'blob-sequences',
  experimentId: string,
  run: string,
  list: readonly Series[],
): AsyncGenerator<Json> {
  if (list.length === 0) return;
  const steps = new Map<string, { from: bigint; to: bigint }>();
  for (const { tag, firstStep, lastStep } of list) {
    const known = steps.get(tag) ?? { from: firstStep, to: lastStep };
    steps.set(tag, { from: firstStep < known.from ? firstStep : known.from, to: lastStep > known.to ? lastStep : known.to });
  }
  const bounds = (tags: readonly string[]): ValuesQuery => {
    const ranges = tags.map((tag) => steps.get(tag)!);
    return {
      tags,
      from: ranges.reduce((least, { from }) => (from < least ? from : least), ranges[0]!.from),
      to: ranges.reduce((most, { to }) => (to > most ? to : most), ranges[0]!.to),
    };
  };
  const waiting = [...chunksOf([...steps.keys()], 500)].map(bounds).reverse();
  for (let query = waiting.pop(); query; query = waiting.pop()) {
    const { tags, from, to } = query;
    const series = await readValues(api, kind, experimentId, { runs: [run], tags, steps: { from: String(from), to: String(to) } });
    if (series) yield* series;
    else if (tags.length > 1) {
      const half = tags.length >> 1;
      waiting.push(bounds(tags.slice(half)), bounds(tags.slice(0, half)));
    } else {
      if (from === to) throw new UnexpectedAnswer(`step ${from} of ${tags[0]!} does not fit into a response`);
      const middle = (from + to) >> 1n;
      waiting.push({ tags, from: middle + 1n, to }, { tags, from, to: middle });
    }
  }
}

/** Null: the response would be too large, or does not have every value. */
async function readValues(api: Api, kind: string, experimentId: string, selection: object): Promise<readonly Json[] | null> {
  const body = { ...selection, points: valuesAtOnce, unlisted: true, ...(kind === 'tensors' && { packed: true }) };
  try {
    const answer = await api.send('POST', `/experiments/${experimentId}/${kind}/query`, `Reading ${kind.replace('-', ' ')}`, body);
    const series = asArray(answer['series'], 'series').map((one) => asObject(one, 'series'));
    return series.every((one) => one['exact'] === true) ? series : null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'answer-too-large') return null;
    throw error;
  }
}

function* chunksOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}

async function* tensorPages(api: Api, experimentId: string, run: string, list: readonly Series[]) {
  for await (const series of valuePages(api, 'tensors', experimentId, run, list)) {
    const columns = asObject(series['columns'], 'columns');
    const steps = asArray(columns['step'], 'step').map((step) => BigInt(step as string));
    if (steps.length === 0) continue;
    yield {
      tag: stringField(series, 'tag'),
      writer: writerOf(series),
      steps,
      wallTimes: asArray(columns['wall_time'], 'wall_time').map(Number),
      tensors: asArray(columns['value'], 'value').map((value) => tensorOf(asObject(value, 'value'))),
    };
  }
}

/** A TensorProto; bytes that could not be decoded are one already. */
function tensorOf(value: Json): Uint8Array {
  const packed = Buffer.from(stringField(asObject(value['data'], 'data'), 'base64'), 'base64');
  return tensorMessage(stringField(value, 'dtype'), asArray(value['shape'], 'shape').map(Number), packed) ?? packed;
}

async function* blobSequences(api: Api, experimentId: string, run: string, list: readonly Series[]) {
  for await (const series of valuePages(api, 'blob-sequences', experimentId, run, list)) {
    yield {
      tag: stringField(series, 'tag'),
      writer: writerOf(series),
      points: asArray(series['points'], 'points').map((item) => {
        const point = asObject(item, 'points');
        const blobs = asArray(point['blobs'], 'blobs').map((blob) => (blob === null ? null : stringField(asObject(blob, 'blobs'), 'key')));
        return { step: BigInt(point['step'] as string), wallTime: Number(point['wall_time']), blobs };
      }),
    };
  }
}

async function fetchAll(api: Api, keys: readonly (string | null)[]): Promise<Uint8Array[]> {
  const blobs: Uint8Array[] = [];
  for (const some of chunksOf(keys, fetchesAtOnce)) {
    const get = async (key: string | null) =>
      key === null ? new Uint8Array() : (await api.answer('GET', `/blobs/${encodeURIComponent(key)}`, 'Fetching a blob')).body;
    blobs.push(...(await Promise.all(some.map(get))));
  }
  return blobs;
}
