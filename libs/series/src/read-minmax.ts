import { decodeBody } from '#chunks';
import type { PointColumns } from '#model';
import { type BucketPieces, type CellLevel, downsampleScalars, readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { bucketSink } from './bucket-columns.ts';
import { clip, joinPoints } from './point-range.ts';
import type { SeriesAnswer } from './scalar-answer.ts';
import { type ScalarRequest, stepRange } from './scalar-request.ts';
import { type PlannedSeries, SharedRanges } from './shared-ranges.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/** From which form a series is read: the coarsest cells of which there are at least `points`, else the points themselves. */
type Source = CellLevel | 'points';

function chooseSource({ series, tail }: PlannedSeries, points: number): Source {
  if (series.points + tail.steps.length <= points) return 'points';
  // The reader joins up to 8 chunks of a bucket, as it does with cells; beyond that the server does.
  if (series.chunks >= 8 * points) return 'many';
  if (series.chunks >= points) return 4096;
  if (series.cells512 >= points) return 512;
  if (series.cells64 >= points) return 64;
  return 'points';
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
    () => 'points',
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
  const sources = planned.map((one) => choose(one, request.points));
  const shared = new SharedRanges(request, planned);

  const bodies = await readEffectiveBodies(
    client,
    tenantId,
    planned.flatMap(({ series }, i) =>
      sources[i] === 'points'
        ? series.chunks > 0
          ? [{ seriesId: series.seriesId, ...range }]
          : []
        : series.cutChunks > 0
          ? [{ seriesId: series.seriesId, ...range, cutOnly: true }]
          : [],
    ),
  );
  const requested = planned.flatMap(({ series }, i) => ((sources[i] === 'points' ? series.chunks : series.cutChunks) > 0 ? [i] : []));
  const points: PointColumns[][] = planned.map(() => []);
  for (const { request: index, body } of bodies) points[requested[index]!]!.push(clip(decodeBody(body).points, range.from, range.to));
  planned.forEach(({ tail }, i) => points[i]!.push(tail));
  const pieces = await readPieces(client, tenantId, planned, sources, shared);

  return planned.map(({ series }, i): SeriesAnswer => {
    const inMemory = points[i]!.reduce((sum, part) => sum + part.steps.length, 0);
    const name = { run: series.run, tag: series.tag, exact: true };
    if (sources[i] === 'points' && inMemory <= request.points) {
      return { ...name, sampling: 'raw', sourcePoints: inMemory, content: { points: joinPoints(points[i]!) } };
    }
    const sink = bucketSink(shared.of(series.tag));
    for (const part of points[i]!) if (part.steps.length > 0) sink.addPoints(part);
    const downsampled = pieces[i];
    if (downsampled) sink.addPieces(downsampled);
    const buckets = sink.finish();
    return { ...name, sampling: 'minmax', sourcePoints: buckets.count.reduce((sum, count) => sum + count, 0), content: { buckets } };
  });
}

async function readPieces(
  client: Snapshot['client'],
  tenantId: string,
  planned: readonly PlannedSeries[],
  sources: readonly Source[],
  shared: SharedRanges,
): Promise<(BucketPieces | null)[]> {
  const pieces = planned.map((): BucketPieces | null => null);
  for (const level of [64, 512, 4096, 'many'] as const) {
    const indices = sources.flatMap((source, i) => (source === level ? [i] : []));
    if (indices.length === 0) continue;
    const ranges = [...new Set(indices.map((i) => shared.of(planned[i]!.series.tag)))];
    const found = await downsampleScalars(
      client,
      tenantId,
      level,
      indices.map((i) => ({ seriesId: planned[i]!.series.seriesId, range: ranges.indexOf(shared.of(planned[i]!.series.tag)) })),
      ranges,
    );
    indices.forEach((i, n) => (pieces[i] = found[n] ?? null));
  }
  return pieces;
}
