import type { DataClass, ExperimentId, RunName, TagName } from '#model';
import { summaryMetadataMessage } from '#protocols';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { asArray, asObject, intField, type Json, stringField, UnexpectedResponse } from '../http/json.ts';

/** A series of a run that has values. */
export interface RunSeries {
  readonly tag: TagName;
  readonly writer: number;
  readonly dataClass: DataClass;
  /** A SummaryMetadata message. */
  readonly metadata: Uint8Array;
  readonly firstStep: bigint;
  readonly lastStep: bigint;
}

/**
 * A tensor as the service stores it: numbers little-endian in C order; `undecodable` is a
 * TensorProto.
 */
export interface PackedTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly packed: Uint8Array;
}

/** Values per request. If the response is incomplete, the values are requested in parts. */
const valuesAtOnce = 20_000;
/** Blobs that are fetched at the same time. */
const fetchesAtOnce = 8;

/**
 * Lists the series of a run, or of the given tags, including unlisted series. Also returns the
 * number of superseded values.
 */
export async function listRunSeries(
  api: Api,
  experimentId: ExperimentId,
  run: RunName,
  tags?: readonly TagName[],
): Promise<{ list: RunSeries[]; superseded: number }> {
  const wanted = tags && new Set(tags);
  const list: RunSeries[] = [];
  let superseded = 0;
  const path = `/experiments/${experimentId}/series?unlisted=true&plugin_content=true&run=${encodeURIComponent(run)}`;
  for await (const series of api.pages(path, 'series', 'Listing series')) {
    if (wanted && !wanted.has(stringField(series, 'tag'))) continue;
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

/** Tags of a run, and a range of their steps. */
interface ValuesQuery {
  readonly tags: readonly TagName[];
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * All effective values of the given series. Requests all tags together. If the service cannot
 * return all values, halves the request, down to a single step of one tag.
 */
async function* valuePages(
  api: Api,
  kind: 'tensors' | 'blob-sequences',
  experimentId: ExperimentId,
  run: RunName,
  list: readonly RunSeries[],
): AsyncGenerator<Json> {
  if (list.length === 0) return;
  const steps = new Map<string, { from: bigint; to: bigint }>();
  for (const { tag, firstStep, lastStep } of list) {
    const known = steps.get(tag) ?? { from: firstStep, to: lastStep };
    steps.set(tag, { from: firstStep < known.from ? firstStep : known.from, to: lastStep > known.to ? lastStep : known.to });
  }
  const bounds = (tags: readonly TagName[]): ValuesQuery => {
    const ranges = tags.map((tag) => steps.get(tag)!);
    return {
      tags,
      from: ranges.reduce((min, { from }) => (from < min ? from : min), ranges[0]!.from),
      to: ranges.reduce((max, { to }) => (to > max ? to : max), ranges[0]!.to),
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
      if (from === to) throw new UnexpectedResponse(`step ${from} of ${tags[0]!} does not fit into a response`);
      const middle = (from + to) >> 1n;
      waiting.push({ tags, from: middle + 1n, to }, { tags, from, to: middle });
    }
  }
}

/** Returns null if the response would be too large, or lacks some values. */
async function readValues(api: Api, kind: string, experimentId: ExperimentId, selection: object): Promise<readonly Json[] | null> {
  const body = { ...selection, points: valuesAtOnce, unlisted: true, ...(kind === 'tensors' && { packed: true }) };
  try {
    const response = await api.send('POST', `/experiments/${experimentId}/${kind}/query`, `Reading ${kind.replace('-', ' ')}`, body);
    const series = asArray(response['series'], 'series').map((one) => asObject(one, 'series'));
    return series.every((one) => one['exact'] === true) ? series : null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'answer-too-large') return null;
    throw error;
  }
}

function* chunksOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}

/** All effective tensors of the given series of a run, by ascending step within a series. */
export async function* tensorPages(api: Api, experimentId: ExperimentId, run: RunName, list: readonly RunSeries[]) {
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

function tensorOf(value: Json): PackedTensor {
  return {
    dtype: stringField(value, 'dtype'),
    shape: asArray(value['shape'], 'shape').map(Number),
    packed: Buffer.from(stringField(asObject(value['data'], 'data'), 'base64'), 'base64'),
  };
}

/**
 * All effective blob sequences of the given series of a run. A blob is its key, or null if the
 * service does not have the blob.
 */
export async function* blobSequences(api: Api, experimentId: ExperimentId, run: RunName, list: readonly RunSeries[]) {
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

/** The bytes of blobs; empty for a blob without a key. */
export async function fetchBlobs(api: Api, keys: readonly (string | null)[]): Promise<Uint8Array[]> {
  const blobs: Uint8Array[] = [];
  for (const some of chunksOf(keys, fetchesAtOnce)) {
    const get = async (key: string | null) =>
      key === null ? new Uint8Array() : (await api.response('GET', `/blobs/${encodeURIComponent(key)}`, 'Fetching a blob')).body;
    blobs.push(...(await Promise.all(some.map(get))));
  }
  return blobs;
}
