import {
  type DataClass,
  dataClasses,
  type ExperimentId,
  type PointColumns,
  type RunName,
  type SeriesId,
  type TagName,
  type View,
} from '#model';
import {
  countTensorBytes,
  listSeries,
  type PickedBlobSequence,
  type PickedTensor,
  readBlobSequences,
  readTensors,
  type SeriesSummary,
  type Snapshot,
  type ValueRequest,
} from '#store';
import { findScalarSeries } from './find-scalar-series.ts';
import { readRaw } from './read-raw.ts';
import type { ScalarRequest } from './scalar-request.ts';
import { maxStep, minStep } from './steps.ts';

/**
 * Some effective values of one series with rising steps. The next part of the same series follows
 * directly.
 */
export type SeriesPart = { readonly series: SeriesSummary } & (
  { readonly points: PointColumns } | { readonly tensors: readonly PickedTensor[] } | { readonly sequences: readonly PickedBlobSequence[] }
);

/** How much of an experiment is in memory at a time. */
export interface PartBounds {
  readonly points: number;
  readonly tensorBytes: number;
  readonly blobs: number;
}

/** Which values are walked. */
export interface Walk {
  readonly experimentId: ExperimentId;
  readonly view: View | null;
  /** All by default. */
  readonly classes?: readonly DataClass[];
  /** Whether to include series that TensorBoard's pages never show, and twins. */
  readonly unlisted?: boolean;
}

/** Number of series requested at a time. */
const seriesAtOnce = 500;

/**
 * Walks every effective value of an experiment's listed series in one snapshot, by run and tag:
 * scalars as float64, tensors and blob sequences as stored. Reads lazily, so when the consumer
 * stops, the queries stop.
 */
export async function* walkExperiment(
  snapshot: Snapshot,
  { experimentId, view, classes = dataClasses, unlisted = false }: Walk,
  bounds: PartBounds,
): AsyncGenerator<SeriesPart> {
  for (let after: SeriesId | null = null; ;) {
    const page: SeriesSummary[] =
      (await listSeries(snapshot, {
        experimentId,
        runs: null,
        tags: null,
        plugins: null,
        unlisted,
        limit: seriesAtOnce,
        after,
        view,
      })) ?? [];
    for (const [run, group] of Map.groupBy(page, (series) => series.run)) {
      const ofClass = (dataClass: DataClass) => group.filter((series) => series.dataClass === dataClass && classes.includes(dataClass));
      yield* scalarParts(snapshot, { experimentId, view, run, unlisted }, ofClass('scalar'), bounds.points);
      for (const series of ofClass('tensor')) yield* tensorParts(snapshot, series, bounds.tensorBytes);
      for (const series of ofClass('blob_sequence')) yield* sequenceParts(snapshot, series, bounds.blobs);
    }
    if (page.length < seriesAtOnce) return;
    after = page.at(-1)!.seriesId;
  }
}

/** Raw points of one run's scalar series, page by page. */
async function* scalarParts(
  snapshot: Snapshot,
  { experimentId, view, run, unlisted }: Walk & { readonly run: RunName; readonly unlisted: boolean },
  list: readonly SeriesSummary[],
  pageSize: number,
): AsyncGenerator<SeriesPart> {
  if (list.length === 0) return;
  // Series from several writers share a tag, and can be on different pages of the list.
  const keyOf = ({ tag, writer }: { readonly tag: TagName; readonly writer: number }) => `${writer} ${tag}`;
  const wanted = new Map(list.map((series) => [keyOf(series), series]));
  const request: ScalarRequest = {
    experimentId,
    runs: [run],
    tags: [...new Set(list.map(({ tag }) => tag))],
    plugin: null,
    unlisted,
    from: null,
    to: null,
    view,
    sampling: 'raw',
    points: 0,
    align: 'tag',
    seed: '',
    superseded: false,
    pageSize,
    pageToken: null,
  };
  const { list: matching, tails } = await findScalarSeries(snapshot, request);
  for (let pageToken: string | null = null; ;) {
    const page = await readRaw(snapshot, { ...request, pageToken }, matching, tails);
    for (const response of page.series) {
      const series = wanted.get(keyOf(response));
      if (series && 'points' in response.content && response.content.points.steps.length > 0)
        yield { series, points: response.content.points };
    }
    if (page.nextPageToken === null) return;
    pageToken = page.nextPageToken;
  }
}

/** Yields the tensors of a series; if they exceed `max` bytes, they are read by step ranges. */
async function* tensorParts(snapshot: Snapshot, series: SeriesSummary, max: number): AsyncGenerator<SeriesPart> {
  for await (const range of rangesThatFit(series, async (from, to) => {
    const { values, bytes } = await countTensorBytes(snapshot, allOf(series, from, to));
    return { values, fits: bytes <= max };
  })) {
    yield { series, tensors: await readTensors(snapshot, range) };
  }
}

/**
 * Yields the blob sequences of a series; if they may exceed `max` blobs, they are read by step
 * ranges.
 */
async function* sequenceParts(snapshot: Snapshot, series: SeriesSummary, max: number): AsyncGenerator<SeriesPart> {
  for await (const range of rangesThatFit(series, async (from, to) => {
    // The response with one value also contains the number of values.
    const [last] = await readBlobSequences(snapshot, { ...allOf(series, from, to), points: 1 });
    const values = last?.total ?? 0;
    return { values, fits: values * Math.max(1, series.maxLength ?? 1) <= max };
  })) {
    yield { series, sequences: await readBlobSequences(snapshot, range) };
  }
}

/**
 * Rising step ranges that contain all values of a series and fit. A range that does not fit is
 * halved until it fits or has one value.
 */
async function* rangesThatFit(
  series: SeriesSummary,
  look: (from: bigint, to: bigint) => Promise<{ readonly values: number; readonly fits: boolean }>,
): AsyncGenerator<ValueRequest> {
  const waiting: [from: bigint, to: bigint][] = [[series.firstStep ?? minStep, series.lastStep ?? maxStep]];
  for (let range = waiting.pop(); range; range = waiting.pop()) {
    const [from, to] = range;
    const { values, fits } = await look(from, to);
    if (values === 0) continue;
    if (fits || values === 1 || from === to) yield allOf(series, from, to);
    else {
      const middle = (from + to) >> 1n;
      waiting.push([middle + 1n, to], [from, middle]);
    }
  }
}

function allOf(series: SeriesSummary, from: bigint, to: bigint): ValueRequest {
  return { seriesIds: [series.seriesId], from, to, points: maxValues, pick: 'even', superseded: false };
}

/** More values than a series can have. */
const maxValues = 2 ** 31 - 1;
