import { pauseIfLong } from '#admission';
import { decodeBody, maxChunkPoints, newPoints } from '#chunks';
import {
  type BodyRequest,
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
import { ahead } from './ahead.ts';
import { bucketSink } from './bucket-columns.ts';
import type { SharedBuckets } from './bucket-range.ts';
import { clip, joinPoints } from './point-range.ts';
import { PointsOrBuckets } from './points-or-buckets.ts';
import type { SeriesResult } from './scalar-result.ts';
import { type BucketRequest, stepRange } from './scalar-request.ts';
import { type PlannedSeries, SharedRanges, type StepGrid } from './shared-ranges.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/**
 * The form from which a series is read: the coarsest that yields at least `points` entries,
 * otherwise the points themselves. `cells`: as stored.
 */
type Source =
  | { readonly from: CellLevel; readonly level?: number }
  | { readonly from: 'cells'; readonly cellPoints: 64 | 512 }
  | { readonly from: 'points' };

/**
 * Up to this many cells per bucket, it is faster to send cells than to compute buckets in Postgres.
 * With two cells, a chart takes 25 % less time; with eight, 20 % more (measured).
 */
const sentCells = 3;

function chooseSource({ series, tail }: PlannedSeries, points: number): Source {
  if (series.points + tail.steps.length <= points) return { from: 'points' };
  const level = Math.floor(Math.log(series.chunks / points) / Math.log(rollupRatio) + 1e-9);
  // The reader joins up to 8 pieces per bucket: cells, chunks or rollups. If more chunks are not
  // rolled up yet, Postgres joins them.
  if (series.chunks - series.rolledChunks >= rollupRatio * points) return { from: 'many' };
  if (level > 0) return { from: 'rolled', level };
  if (series.chunks >= points) return { from: 4096 };
  const [cellPoints, cells] = series.cells512 >= points ? ([512, series.cells512] as const) : ([64, series.cells64] as const);
  if (cells < points) return { from: 'points' };
  return cells <= sentCells * points && hasCellSteps(series) ? { from: 'cells', cellPoints } : { from: cellPoints };
}

/**
 * The starts of a series' cells, if they are evenly spaced: buckets that also start there contain
 * whole cells, with the same steps in each run. Null if the series is read from its points, which
 * fit into any bucket, or if its cells are uneven.
 */
function gridOf({ series, source }: SourcedSeries, from: bigint | null): StepGrid | null {
  const { firstStep, lastStep, points } = series;
  if (source.from === 'points' || firstStep === null || lastStep === null || points < 2) return null;
  const stride = (lastStep - firstStep) / BigInt(points - 1);
  if (stride < 1n || stride * BigInt(points - 1) !== lastStep - firstStep) return null;
  const perCell = pointsOfCell(source, from);
  const cells = perCell === 64 ? series.cells64 : perCell === 512 ? series.cells512 : series.chunks;
  const isFull = cells === Math.ceil(points / Math.min(maxChunkPoints, perCell ?? 1));
  return perCell !== null && isFull ? { origin: firstStep, width: stride * BigInt(perCell), points } : null;
}

/**
 * Where the cells of 64 or 512 points would start if all points of the series had arrived at once.
 * Buckets follow this instead of the actual cells, so that runs with the same data get the same
 * buckets even if the data arrived in different pieces. Null for series that are too short or too
 * long for such cells, and for irregular steps.
 */
function boundsGridOf({ series, tail }: PlannedSeries, points: number): StepGrid | null {
  const total = series.points + tail.steps.length;
  const { firstStep } = series;
  const lastStep = tail.steps[tail.steps.length - 1] ?? series.lastStep;
  if (firstStep === null || lastStep === null || total < 2 || total >= points * maxChunkPoints) return null;
  const perCell = [512, 64].find((cell) => Math.ceil(total / cell) >= points);
  const stride = (lastStep - firstStep) / BigInt(total - 1);
  if (perCell === undefined || stride < 1n || stride * BigInt(total - 1) !== lastStep - firstStep) return null;
  return { origin: firstStep, width: stride * BigInt(perCell), points: total };
}

/** Points per cell; null if a range starts among rollup rows, whose starts are unknown. */
function pointsOfCell(source: Exclude<Source, { from: 'points' }>, from: bigint | null): number | null {
  if (source.from === 'cells') return source.cellPoints;
  if (source.from === 'many') return maxChunkPoints;
  if (source.from !== 'rolled') return source.from;
  return from === null ? maxChunkPoints * rollupRatio ** source.level! : null;
}

function hasCellSteps({ firstStep, lastStep }: ScalarSeries): boolean {
  return firstStep !== null && lastStep !== null && firstStep >= -largestCellStep && lastStep <= largestCellStep;
}

/**
 * Reads `minmax`: M4 buckets, shared by the runs of a tag; a series with few points is returned
 * raw.
 */
export async function readMinmax(
  snapshot: Snapshot,
  request: BucketRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  groupPoints = usualGroupPoints,
): Promise<SeriesResult[]> {
  const responses = await readFrom(snapshot, request, list, tails, chooseSource, groupPoints);
  // Cut chunks count as whole when the source is chosen, so a series can turn out to have few
  // enough points to be returned raw.
  const small = responses.flatMap((response, i) => (response.sampling === 'minmax' && response.sourcePoints <= request.points ? [i] : []));
  if (small.length === 0) return responses;
  const again = await readFrom(
    snapshot,
    request,
    small.map((i) => list[i]!),
    tails,
    () => ({ from: 'points' }),
    groupPoints,
  );
  small.forEach((i, n) => (responses[i] = again[n]!));
  return responses;
}

async function readFrom(
  snapshot: Snapshot,
  request: BucketRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  choose: (series: PlannedSeries, points: number) => Source,
  groupPoints: number,
): Promise<SeriesResult[]> {
  const range = stepRange(request);
  const sourced = list.map((series) => {
    const planned = { series, tail: clip((tails.get(series.seriesId) ?? noTail).effective, range.from, range.to) };
    const one: SourcedSeries = { ...planned, source: choose(planned, request.points), split: null };
    return one;
  });
  const grids = sourced.map((one) => gridOf(one, request.from));
  const shared = new SharedRanges(
    request,
    sourced.map((one, i) => ({ ...one, grid: boundsGridOf(one, request.points) ?? grids[i]! })),
  );
  if (request.spacing === 'log') for (const one of sourced) one.split = splitOf(one, shared.of(one.series.tag));
  else takePointsWhereUneven(sourced, grids, shared);
  const responses: SeriesResult[] = [];
  const read = async (group: readonly SourcedSeries[]) => ({
    group,
    bodies: await readBodies(snapshot, range, group),
    pieces: await readPieces(snapshot, group, shared),
  });
  for await (const { group, bodies, pieces } of ahead(groupsOf(sourced, groupPoints), read)) {
    const bodiesOf = Map.groupBy(bodies, (body) => body.request);
    for (const [i, one] of group.entries()) {
      const pause = pauseIfLong();
      if (pause) await pause;
      responses.push(responseOf(one, bodiesOf.get(i) ?? [], pieces[i]!, request, shared));
    }
  }
  return responses;
}

interface SourcedSeries extends PlannedSeries {
  source: Source;
  /**
   * Below this step, the series is read from its points, because buckets are narrower than its
   * cells there; null if there is no such step.
   */
  split: bigint | null;
}

/**
 * Maximum number of points to decode for the narrow buckets of one series. Beyond this, a cell
 * belongs to the bucket in which it starts.
 */
const maxNarrowPoints = 1_000_000;

/** The first step from which widening buckets contain two or more cells. */
function splitOf({ series, source }: SourcedSeries, { from, bounds }: SharedBuckets): bigint | null {
  const { firstStep, lastStep, points } = series;
  if (source.from === 'points' || firstStep === null || lastStep === null || points < 2) return null;
  const stride = Number(lastStep - firstStep) / (points - 1);
  const cell = stride * (source.from === 'rolled' ? maxChunkPoints * rollupRatio ** source.level! : pointsOfCell(source, null)!);
  const first = Math.max(Number(from), Number(firstStep));
  for (let k = 1; k < bounds.length; k++) {
    const [bound, next] = [Number(bounds[k]!), Number(bounds[k + 1] ?? Infinity)];
    if (bound > 0 && (next - bound >= 2 * cell || bound - first > maxNarrowPoints * stride)) return BigInt(bounds[k]!);
  }
  return null;
}

/**
 * Maximum number of points, of series with uneven cells, that one request decodes for exact bounds.
 * Decoding a million points takes 0.1 s (measured).
 */
const maxUnevenPoints = 262_144;

/**
 * Reads series whose cells would cross bucket bounds from their points, shortest first. Runs with
 * the same data therefore get the same buckets, whether the data arrived at once or incrementally.
 */
function takePointsWhereUneven(list: readonly SourcedSeries[], grids: readonly (StepGrid | null)[], shared: SharedRanges): void {
  const uneven = list.filter(({ source, series }, i) => {
    if (source.from === 'points' || source.from === 'many' || source.from === 'rolled') return false;
    const grid = grids[i]!;
    return !grid || !isOnGrid(shared.of(series.tag), grid);
  });
  let left = maxUnevenPoints;
  for (const one of uneven.toSorted((a, b) => a.series.points - b.series.points)) {
    left -= one.series.points;
    if (left < 0) return;
    one.source = { from: 'points' };
  }
}

/** Whether each bucket starts where a cell does, except the first, which starts with the range. */
function isOnGrid({ bounds }: SharedBuckets, { origin, width }: StepGrid): boolean {
  const [cell, first] = [Number(width), Number(origin)];
  return bounds.every((bound: number | bigint, i: number) => i === 0 || (Number(bound) - first) % cell === 0);
}

/**
 * Points and cells of the series that are read as one group, with a few queries. Two groups are in
 * memory in stored form: one is processed while the next is read.
 */
const usualGroupPoints = 524_288;

function groupsOf(list: readonly SourcedSeries[], groupPoints: number): SourcedSeries[][] {
  const groups: SourcedSeries[][] = [];
  let points = Infinity;
  for (const one of list) {
    const more = pointsRead(one);
    if (points + more > groupPoints) {
      groups.push([]);
      points = 0;
    }
    groups.at(-1)!.push(one);
    points += more;
  }
  return groups;
}

/** Maximum number of points and cells read for a series. */
function pointsRead({ series, source }: SourcedSeries): number {
  if (source.from === 'points') return series.points;
  const cut = (series.cutChunks + series.wideChunks) * maxChunkPoints;
  if (source.from === 'cells') return cut + (source.cellPoints === 64 ? series.cells64 : series.cells512);
  return cut;
}

/**
 * Chunks whose points no rollup represents: all chunks of series without rollups, otherwise only
 * the cut chunks. `request`: index into the group.
 */
async function readBodies(
  snapshot: Snapshot,
  range: { readonly from: bigint; readonly to: bigint },
  group: readonly SourcedSeries[],
): Promise<ClippedBody[]> {
  const requests = group.flatMap(({ series, source, split }, i): (BodyRequest & { readonly index: number })[] => {
    const wanted = { index: i, seriesId: series.seriesId, ...range };
    if (source.from === 'points') return series.chunks > 0 ? [wanted] : [];
    const only = series.wideChunks > 0 ? 'cut and wide' : 'cut';
    if (split !== null)
      return [
        { ...wanted, to: split - 1n },
        { ...wanted, from: split, only },
      ];
    return series.cutChunks + series.wideChunks > 0 ? [{ ...wanted, only }] : [];
  });
  const bodies = await readEffectiveBodies(snapshot, requests);
  return bodies.map((one) => {
    const { index, from, to } = requests[one.request]!;
    return { ...one, request: index, from, to };
  });
}

/** A chunk of a series in a group, and the range whose points are needed. */
interface ClippedBody extends StoredBody {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Chunks are decoded into this buffer one after another, because new columns for each chunk would
 * account for most of the allocations.
 */
const buffer = newPoints(maxChunkPoints);

/** The response for a series, from its points and from pieces that represent other points. */
function responseOf(
  { series, source, tail }: SourcedSeries,
  bodies: readonly ClippedBody[],
  pieces: BucketPieces | null,
  request: BucketRequest,
  shared: SharedRanges,
): SeriesResult {
  const name = { run: series.run, tag: series.tag, writer: series.writer, exact: true };
  const all = new PointsOrBuckets(source.from === 'points' ? request.points : -1, () => bucketSink(shared.of(series.tag)));
  for (const { body, from, to } of bodies) all.add(clip(decodeBody(body, buffer).points, from, to));
  all.add(tail);
  if (all.points) {
    const points = joinPoints(all.points);
    return { ...name, sampling: 'raw', sourcePoints: points.steps.length, content: { points } };
  }
  if (pieces) all.buckets.addPieces(pieces);
  const buckets = all.buckets.finish();
  return { ...name, sampling: 'minmax', sourcePoints: buckets.count.reduce((sum, count) => sum + count, 0), content: { buckets } };
}

/** The buckets starting at a bound. */
function behind(buckets: SharedBuckets, split: bigint | null): SharedBuckets {
  if (split === null) return buckets;
  const { bounds } = buckets;
  const at = bounds.findIndex((bound: number | bigint) => bound >= split);
  return { from: split, to: buckets.to, bounds: bounds.subarray(at) };
}

async function readPieces(snapshot: Snapshot, group: readonly SourcedSeries[], shared: SharedRanges): Promise<(BucketPieces | null)[]> {
  const pieces = group.map((): BucketPieces | null => null);
  for (const from of [64, 512, 4096, 'many', 'rolled'] as const) {
    const indices = group.flatMap(({ source }, i) => (source.from === from ? [i] : []));
    if (indices.length === 0) continue;
    const ranges = new Map<SharedBuckets, Map<bigint | null, number>>();
    const list: SharedBuckets[] = [];
    const numbers = indices.map((i) => {
      const { series, split } = group[i]!;
      const whole = shared.of(series.tag);
      const known = ranges.get(whole) ?? new Map<bigint | null, number>();
      ranges.set(whole, known);
      const number = known.get(split) ?? list.push(behind(whole, split)) - 1;
      known.set(split, number);
      return number;
    });
    const found = await downsampleScalars(
      snapshot,
      from,
      indices.map((i, n) => {
        const { series, source } = group[i]!;
        const wanted = { seriesId: series.seriesId, range: numbers[n]! };
        return 'level' in source ? { ...wanted, level: source.level } : wanted;
      }),
      list,
    );
    indices.forEach((i, n) => (pieces[i] = found[n] ?? null));
  }
  for (const cellPoints of [64, 512] as const) {
    const indices = group.flatMap(({ source }, i) => (source.from === 'cells' && source.cellPoints === cellPoints ? [i] : []));
    if (indices.length === 0) continue;
    const wanted = indices.map((i): CellRange => {
      const { from, to } = behind(shared.of(group[i]!.series.tag), group[i]!.split);
      return { seriesId: group[i]!.series.seriesId, from, to };
    });
    const found = await readCells(snapshot, cellPoints, wanted);
    indices.forEach((i, n) => (pieces[i] = found[n] ?? null));
  }
  return pieces;
}
