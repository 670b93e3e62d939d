import { decodeBody, encodeStoredSeries, plainPiece, type StoredPiece, type StoredSeries } from '#chunks';
import { emptyPoints, type TenantId } from '#model';
import { readEffectiveBodies, type ScalarSeries, type Snapshot, type Store } from '#store';
import { type Admit, readAdmitted } from './admit.ts';
import { findScalarSeries } from './find-scalar-series.ts';
import { invalid, readPageToken, writePageToken } from './page-token.ts';
import { clip } from './point-range.ts';
import { haveSeveralWriters } from './scalar-result.ts';
import type { ScalarRequest } from './scalar-request.ts';
import { maxStep, minStep } from './steps.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/** A page of effective points in stored form (libs/chunks, `stored-series.ts`). */
export interface StoredPage {
  readonly pieces: readonly Uint8Array[];
  readonly nextPageToken: string | null;
}

/** Typical maximum size of a point in a chunk body, as text from the database and as bytes. */
const bytesPerPoint = 48;

/**
 * Reads `raw` without superseded points or a step range, and leaves most decoding to the caller. A
 * page ends with a chunk, so it has about `pageSize` points. Page tokens are the same as for all
 * `raw` pages. Throws `invalid-page-token`, and any error from `admit` and `reserve`.
 */
export async function readStoredScalars(
  store: Store,
  tenantId: TenantId,
  request: ScalarRequest,
  admit: Admit,
  reserve: (bytes: number) => Promise<void>,
): Promise<StoredPage> {
  return store.withSnapshot(tenantId, async (snapshot) => {
    const found = findScalarSeries(snapshot, request, async (list) => {
      const points = list.reduce((sum, series) => sum + series.points, 0);
      await reserve(Math.min(points, request.pageSize) * bytesPerPoint);
    });
    const [, { list, tails }] = await Promise.all([readAdmitted(snapshot, request, admit), found]);
    const { series, nextPageToken } = await readPage(snapshot, request, list, tails);
    return { pieces: series.flatMap(encodeStoredSeries), nextPageToken };
  });
}

async function readPage(
  snapshot: Snapshot,
  request: ScalarRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<{ readonly series: readonly StoredSeries[]; readonly nextPageToken: string | null }> {
  const position = readPageToken(request);
  const at = position ? list.findIndex((series) => series.seriesId === position.seriesId) : 0;
  if (at < 0) throw invalid();
  const after = position?.afterStep ?? null;
  const group = groupFrom(list, at, request.pageSize, tails).map((one, i) => ({
    ...one,
    from: i === 0 && after !== null ? after + 1n : minStep,
  }));
  const withChunks = group.filter(({ series, from }) => series.chunks > 0 && from <= maxStep);
  const bodies = await readEffectiveBodies(
    snapshot,
    withChunks.map(({ series, from, limit }) => ({ seriesId: series.seriesId, from, to: maxStep, limit })),
  );
  const bodiesOf = Map.groupBy(bodies, ({ request: index }) => withChunks[index]!.series);
  // As in other forms of the response, writers only distinguish series of one run and tag.
  const writerOf = haveSeveralWriters(list) ? (series: ScalarSeries) => series.writer : () => 0;
  const responses: StoredSeries[] = [];
  for (const { series, from } of group) {
    const own = bodiesOf.get(series) ?? [];
    const pieces = own.map(({ body }, i) =>
      i === 0 && from !== minStep ? fromStep(body, from) : ({ form: 'chunk', bytes: body } as const),
    );
    const { run, tag, seriesId, lastStep } = series;
    // All chunks of the other series fit into the page.
    const last = series === group.at(-1)!.series && own.length > 0 ? decodeBody(own.at(-1)!.body).points.steps.at(-1)! : lastStep;
    const goesOn = last !== lastStep;
    const tail = goesOn || from > maxStep ? emptyPoints() : clip((tails.get(seriesId) ?? noTail).effective, from, maxStep);
    if (tail.steps.length > 0) pieces.push(plainPiece(tail));
    if (pieces.length > 0) responses.push({ run, tag, writer: writerOf(series), pieces });
    if (goesOn) return { series: responses, nextPageToken: writePageToken(request, { seriesId, afterStep: last, log: null }) };
  }
  const next = list[at + group.length];
  return {
    series: responses,
    nextPageToken: next ? writePageToken(request, { seriesId: next.seriesId, afterStep: null, log: null }) : null,
  };
}

/**
 * The series of a page, and how many points of each are read: all points, except for the last
 * series.
 */
function groupFrom(
  list: readonly ScalarSeries[],
  at: number,
  pageSize: number,
  tails: ReadonlyMap<string, SeriesTail>,
): { readonly series: ScalarSeries; readonly limit: number }[] {
  const group: { series: ScalarSeries; limit: number }[] = [];
  let remaining = pageSize;
  for (let i = at; i < list.length && remaining > 0; i++) {
    const series = list[i]!;
    group.push({ series, limit: remaining });
    remaining -= series.points + (tails.get(series.seriesId)?.effective.steps.length ?? 0);
  }
  return group;
}

/**
 * The points of a chunk, starting at a step. The chunk is complete if the previous page ended with
 * a chunk.
 */
function fromStep(body: Uint8Array, from: bigint): StoredPiece {
  const { points } = decodeBody(body);
  return points.steps[0]! >= from ? { form: 'chunk', bytes: body } : plainPiece(clip(points, from, maxStep));
}
