import { setImmediate } from 'node:timers/promises';
import { decodeBody, emptyPoints, maxChunkPoints } from '#chunks';
import type { PointColumns } from '#model';
import {
  type BucketPieces,
  type CellLevel,
  type CellRange,
  downsampleScalars,
  largestCellStep,
  readCells,
  readEffectiveBodies,
  rollupRatio,
  type ScalarSeries,
  type Snapshot,
  type StoredBody,
} from '#store';
import { bucketSink } from './bucket-columns.ts';
import type { SharedBuckets } from './bucket-range.ts';
import { clip, copyPoints, joinPoints } from './point-range.ts';
import type { SeriesAnswer } from './scalar-answer.ts';
import { type ScalarRequest, stepRange } from './scalar-request.ts';
import { type PlannedSeries, SharedRanges } from './shared-ranges.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/** From which form a series is read: the coarsest one of which there are at least `points`, else the points themselves. `cells`: as they are stored. */
type Source =
  | { readonly from: CellLevel; readonly level?: number }
  | { readonly from: 'cells'; readonly cellPoints: 64 | 512 }
  | { readonly from: 'points' };

/**
 * Up to so many cells to a bucket, the server's work on a bucket costs more than sending its cells: with two of them a chart takes a quarter less, with eight
 * a fifth more (measured).
 */
const sentCells = 3;

function chooseSource({ series, tail }: PlannedSeries, points: number): Source {
  if (series.points + tail.steps.length <= points) return { from: 'points' };
  const level = Math.floor(Math.log(series.chunks / points) / Math.log(rollupRatio) + 1e-9);
  // The reader joins up to 8 pieces of a bucket, from cells as from chunks and rollups; what more there is of chunks that are not rolled up yet, the server does.
  if (series.chunks - series.rolledChunks >= rollupRatio * points) return { from: 'many' };
  if (level > 0) return { from: 'rolled', level };
  if (series.chunks >= points) return { from: 4096 };
  const [cellPoints, cells] = series.cells512 >= points ? ([512, series.cells512] as const) : ([64, series.cells64] as const);
  if (cells < points) return { from: 'points' };
  return cells <= sentCells * points && hasCellSteps(series) ? { from: 'cells', cellPoints } : { from: cellPoints };
}

function hasCellSteps({ firstStep, lastStep }: ScalarSeries): boolean {
  return firstStep !== null && lastStep !== null && firstStep >= -largestCellStep && lastStep <= largestCellStep;
}

/** Answers `minmax`: M4 buckets, shared by the runs of a tag; a series with few points comes back raw. */
export async function readMinmax(
  client: Snapshot['client'],
  tenantId: string,
  request: ScalarRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<SeriesAnswer[]> {
  const answers = await readFrom(client, tenantId, request, list, tails, chooseSource);
  // Cut chunks are counted whole when the source is chosen, so a series may turn out to have few enough points to come back raw.
  const small = answers.flatMap((answer, i) => (answer.sampling === 'minmax' && answer.sourcePoints <= request.points ? [i] : []));
  if (small.length === 0) return answers;
  const again = await readFrom(
    client,
    tenantId,
    request,
    small.map((i) => list[i]!),
    tails,
    () => ({ from: 'points' }),
  );
  small.forEach((i, n) => (answers[i] = again[n]!));
  return answers;
}

async function readFrom(
  client: Snapshot['client'],
  tenantId: string,
  request: ScalarRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  choose: (series: PlannedSeries, points: number) => Source,
): Promise<SeriesAnswer[]> {
  const range = stepRange(request);
  const planned = list.map((series) => ({ series, tail: clip((tails.get(series.seriesId) ?? noTail).effective, range.from, range.to) }));
  const shared = new SharedRanges(request, planned);
  const answers: SeriesAnswer[] = [];
  for await (const { group, bodies, pieces } of ahead(
    groupsOf(planned.map((one) => ({ ...one, source: choose(one, request.points) }))),
    async (one) => ({
      group: one,
      bodies: await readBodies(client, tenantId, range, one),
      pieces: await readPieces(client, tenantId, one, shared),
    }),
  )) {
    const bodiesOf = Map.groupBy(bodies, (body) => body.request);
    group.forEach((one, i) => answers.push(answerOf(one, bodiesOf.get(i) ?? [], pieces[i]!, request, shared)));
  }
  return answers;
}

/** What comes of each, in order, each read while the one before is worked on. */
async function* ahead<T, U>(list: readonly T[], read: (one: T) => Promise<U>): AsyncGenerator<U> {
  const start = (index: number): Promise<U> | null => {
    if (index >= list.length) return null;
    const reading = read(list[index]!);
    reading.catch(() => undefined); // it is thrown where it is awaited
    return reading;
  };
  let next = start(0);
  for (let i = 1; next; i++) {
    const done = await next;
    next = start(i);
    if (next) await setImmediate(); // so that it is on its way
    yield done;
  }
}

interface SourcedSeries extends PlannedSeries {
  readonly source: Source;
}

/** Series that are read together: a few queries for all of them, and at most so many decoded points and cells in memory. */
const groupPoints = 524_288;

function groupsOf(list: readonly SourcedSeries[]): SourcedSeries[][] {
  const groups: SourcedSeries[][] = [];
  let points = Infinity;
  for (const one of list) {
    const decoded = decodedOf(one);
    if (points + decoded > groupPoints) {
      groups.push([]);
      points = 0;
    }
    groups.at(-1)!.push(one);
    points += decoded;
  }
  return groups;
}

/** Points, or cells, that are decoded for it, at most. */
function decodedOf({ series, source }: SourcedSeries): number {
  if (source.from === 'points') return series.points;
  const cut = (series.cutChunks + series.wideChunks) * maxChunkPoints;
  if (source.from === 'cells') return cut + (source.cellPoints === 64 ? series.cells64 : series.cells512);
  return cut;
}

/** Chunks whose points no rollup stands for: all those of series without one, else the cut ones. `request`: index into the group. */
async function readBodies(
  client: Snapshot['client'],
  tenantId: string,
  range: { readonly from: bigint; readonly to: bigint },
  group: readonly SourcedSeries[],
): Promise<StoredBody[]> {
  const chunked = group.flatMap(({ series, source }, i) =>
    (source.from === 'points' ? series.chunks : series.cutChunks + series.wideChunks) > 0 ? [i] : [],
  );
  const bodies = await readEffectiveBodies(
    client,
    tenantId,
    chunked.map((i) => {
      const { series, source } = group[i]!;
      const wanted = { seriesId: series.seriesId, ...range };
      return source.from === 'points' ? wanted : { ...wanted, only: series.wideChunks > 0 ? 'cut and wide' : 'cut' };
    }),
  );
  return bodies.map((one) => ({ ...one, request: chunked[one.request]! }));
}

/** Chunks are decoded into it one after another: columns of its own for each would be most of what is allocated. */
const room = emptyPoints(maxChunkPoints);

/** The answer of a series, of points and of pieces that stand for others. As many as may come back raw are kept; once there are more, all go into buckets. */
function answerOf(
  { series, source, tail }: SourcedSeries,
  bodies: readonly StoredBody[],
  pieces: BucketPieces | null,
  request: ScalarRequest,
  shared: SharedRanges,
): SeriesAnswer {
  const name = { run: series.run, tag: series.tag, exact: true };
  const range = stepRange(request);
  const sink = bucketSink(shared.of(series.tag));
  let kept: PointColumns[] | null = source.from === 'points' ? [] : null;
  let count = 0;
  const add = (points: PointColumns): void => {
    count += points.steps.length;
    if (kept && count <= request.points) {
      kept.push(copyPoints(points));
      return;
    }
    for (const part of [...(kept ?? []), points]) if (part.steps.length > 0) sink.addPoints(part);
    kept = null;
  };
  for (const { body } of bodies) add(clip(decodeBody(body, room).points, range.from, range.to));
  add(tail);
  if (kept) return { ...name, sampling: 'raw', sourcePoints: count, content: { points: joinPoints(kept) } };
  if (pieces) sink.addPieces(pieces);
  const buckets = sink.finish();
  return { ...name, sampling: 'minmax', sourcePoints: buckets.count.reduce((sum, each) => sum + each, 0), content: { buckets } };
}

async function readPieces(
  client: Snapshot['client'],
  tenantId: string,
  group: readonly SourcedSeries[],
  shared: SharedRanges,
): Promise<(BucketPieces | null)[]> {
  const pieces = group.map((): BucketPieces | null => null);
  for (const from of [64, 512, 4096, 'many', 'rolled'] as const) {
    const indices = group.flatMap(({ source }, i) => (source.from === from ? [i] : []));
    if (indices.length === 0) continue;
    const ranges = new Map<SharedBuckets, number>();
    for (const i of indices) {
      const range = shared.of(group[i]!.series.tag);
      if (!ranges.has(range)) ranges.set(range, ranges.size);
    }
    const found = await downsampleScalars(
      client,
      tenantId,
      from,
      indices.map((i) => {
        const { series, source } = group[i]!;
        const wanted = { seriesId: series.seriesId, range: ranges.get(shared.of(series.tag))! };
        return 'level' in source ? { ...wanted, level: source.level } : wanted;
      }),
      [...ranges.keys()],
    );
    indices.forEach((i, n) => (pieces[i] = found[n] ?? null));
  }
  for (const cellPoints of [64, 512] as const) {
    const indices = group.flatMap(({ source }, i) => (source.from === 'cells' && source.cellPoints === cellPoints ? [i] : []));
    if (indices.length === 0) continue;
    const wanted = indices.map((i): CellRange => {
      const { from, to } = shared.of(group[i]!.series.tag);
      return { seriesId: group[i]!.series.seriesId, from, to };
    });
    const found = await readCells(client, tenantId, cellPoints, wanted);
    indices.forEach((i, n) => (pieces[i] = found[n] ?? null));
  }
  return pieces;
}
