import { decodeBody, inLogOrder, ordinalAt } from '#chunks';
import type { PointColumns, SeriesId } from '#model';
import { type ChunkPlace, listChunkPlaces, listFilesInLogOrder, readBodiesAt, type ScalarSeries, type Snapshot } from '#store';
import { invalid, type RawPosition, readPageToken, writePageToken } from './page-token.ts';
import type { RawPage } from './read-raw.ts';
import type { SeriesResult } from './scalar-result.ts';
import { type ScalarRequest, stepRange } from './scalar-request.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/** Number of chunks that are read in one query. */
const chunksAtOnce = 32;

/**
 * Reads `raw` with superseded points: all points of each series in log order (data rule 2), that
 * is, by file and then by ordinal. Effective and superseded chunks of a file interleave, so the
 * points of overlapping chunks are merged by ordinal.
 */
export async function readLogOrder(
  snapshot: Snapshot,
  request: ScalarRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<RawPage> {
  const position = readPageToken(request);
  const start = position ? list.findIndex((series) => series.seriesId === position.seriesId) : 0;
  if (start < 0) throw invalid();
  const responses: SeriesResult[] = [];
  let remaining = request.pageSize;
  for (let at = start; at < list.length; at++) {
    const series = list[at]!;
    const page = new LogPage(remaining, stepRange(request));
    const next = await readSeries(
      snapshot,
      series,
      at === start ? (position?.log ?? null) : null,
      tails.get(series.seriesId) ?? noTail,
      page,
    );
    remaining -= page.count;
    responses.push({
      run: series.run,
      tag: series.tag,
      writer: series.writer,
      sampling: 'raw',
      exact: true,
      sourcePoints: request.from === null && request.to === null ? page.stored : page.count,
      content: page.finish(),
    });
    if (next)
      return { series: responses, nextPageToken: writePageToken(request, { seriesId: series.seriesId, afterStep: null, log: next }) };
    if ((remaining === 0 || responses.length === maxSeries) && at + 1 < list.length) {
      return {
        series: responses,
        nextPageToken: writePageToken(request, { seriesId: list[at + 1]!.seriesId, afterStep: null, log: null }),
      };
    }
  }
  return { series: responses, nextPageToken: null };
}

/** Maximum number of series on one page: each needs several queries. */
const maxSeries = 500;

/** Some points of one file, to be merged by ordinal. */
interface Source {
  readonly fileRank: number;
  readonly firstOrdinal: number;
  readonly points: PointColumns;
  readonly ordinal: (index: number) => number;
  readonly superseded: (index: number) => boolean;
}

/** Fills the page from one series; returns where the series continues, or null at its end. */
async function readSeries(
  snapshot: Snapshot,
  series: ScalarSeries,
  position: RawPosition['log'],
  tail: SeriesTail,
  page: LogPage,
): Promise<RawPosition['log']> {
  const places = (await listChunkPlaces(snapshot, series.runId, series.seriesId, 0)).filter((place, i, all) => {
    page.stored += place.count;
    if (!position || place.fileRank > position.fileRank) return true;
    return place.fileRank === position.fileRank && (place.firstOrdinal >= position.openFrom || isLastBefore(all, i, position.openFrom));
  });
  for (const { points } of tail.pieces) page.stored += points.steps.length;
  const waiting = await tailSources(snapshot, series, tail, position?.fileRank ?? 0);
  const sources = [...places, ...waiting].sort((a, b) => a.fileRank - b.fileRank || a.firstOrdinal - b.firstOrdinal);
  const open: Cursor[] = [];
  const loaded = new Map<ChunkPlace, Source>();
  for (let i = 0; i < sources.length || open.length > 0;) {
    // The next point comes from an open source, unless the next source starts before it.
    const first = smallest(open);
    const upcoming = sources[i];
    if (
      upcoming &&
      (!first ||
        upcoming.fileRank < first.source.fileRank ||
        (upcoming.fileRank === first.source.fileRank && upcoming.firstOrdinal < first.ordinal))
    ) {
      if (!('points' in upcoming) && !loaded.has(upcoming)) await load(snapshot, series.seriesId, sources.slice(i), loaded);
      const source = 'points' in upcoming ? upcoming : loaded.get(upcoming)!;
      if (!('points' in upcoming)) loaded.delete(upcoming);
      const cursor = new Cursor(source);
      if (position && source.fileRank === position.fileRank) cursor.skipTo(position.ordinal);
      if (!cursor.done) open.push(cursor);
      i++;
      continue;
    }
    if (!first) break;
    if (page.wants(first.step) && page.full) {
      return {
        fileRank: first.source.fileRank,
        ordinal: first.ordinal,
        openFrom: Math.min(...open.map((cursor) => cursor.source.firstOrdinal)),
      };
    }
    page.take(first);
    first.next();
    if (first.done) open.splice(open.indexOf(first), 1);
  }
  return null;
}

/**
 * Chunks that were joined after the token was created start before `openFrom` and may still contain
 * its point: the last chunk of each kind.
 */
function isLastBefore(places: readonly ChunkPlace[], index: number, openFrom: number): boolean {
  const place = places[index]!;
  return !places.some(
    (other, i) => i > index && other.fileRank === place.fileRank && other.superseded === place.superseded && other.firstOrdinal <= openFrom,
  );
}

async function load(
  snapshot: Snapshot,
  seriesId: SeriesId,
  upcoming: readonly (ChunkPlace | Source)[],
  loaded: Map<ChunkPlace, Source>,
): Promise<void> {
  const chunks = upcoming.filter((place): place is ChunkPlace => !('points' in place)).slice(0, chunksAtOnce);
  const bodies = await readBodiesAt(snapshot, seriesId, chunks);
  chunks.forEach((place, i) => {
    const { points, ordinals } = inLogOrder(decodeBody(bodies[i]!));
    loaded.set(place, {
      fileRank: place.fileRank,
      firstOrdinal: place.firstOrdinal,
      points,
      ordinal: (index) => ordinalAt(ordinals, index),
      superseded: () => place.superseded,
    });
  });
}

async function tailSources(snapshot: Snapshot, series: ScalarSeries, tail: SeriesTail, fromRank: number): Promise<Source[]> {
  if (tail.pieces.length === 0) return [];
  const files = await listFilesInLogOrder(snapshot, series.runId);
  return tail.pieces.flatMap(({ fileId, firstOrdinal, points, superseded }) => {
    const fileRank = files.indexOf(fileId);
    return fileRank < fromRank
      ? []
      : [
          {
            fileRank,
            firstOrdinal,
            points,
            ordinal: (index: number) => firstOrdinal + index,
            superseded: (index: number) => superseded[index] === 1,
          },
        ];
  });
}

class Cursor {
  readonly source: Source;
  index = 0;

  constructor(source: Source) {
    this.source = source;
  }

  get done(): boolean {
    return this.index >= this.source.points.steps.length;
  }

  get ordinal(): number {
    return this.source.ordinal(this.index);
  }

  get step(): bigint {
    return this.source.points.steps[this.index]!;
  }

  next(): void {
    this.index++;
  }

  skipTo(ordinal: number): void {
    while (!this.done && this.ordinal < ordinal) this.index++;
  }
}

function smallest(open: readonly Cursor[]): Cursor | null {
  let first: Cursor | null = null;
  for (const cursor of open) {
    if (
      !first ||
      cursor.source.fileRank < first.source.fileRank ||
      (cursor.source.fileRank === first.source.fileRank && cursor.ordinal < first.ordinal)
    )
      first = cursor;
  }
  return first;
}

/** The points of one series on one page. */
class LogPage {
  count = 0;
  /** The number of points in the whole series, not only in the range. */
  stored = 0;
  readonly #size: number;
  readonly #range: { readonly from: bigint; readonly to: bigint };
  readonly #steps: bigint[] = [];
  readonly #wallTimes: number[] = [];
  readonly #values: number[] = [];
  readonly #superseded: number[] = [];

  constructor(size: number, range: { readonly from: bigint; readonly to: bigint }) {
    this.#size = size;
    this.#range = range;
  }

  get full(): boolean {
    return this.count >= this.#size;
  }

  wants(step: bigint): boolean {
    return step >= this.#range.from && step <= this.#range.to;
  }

  take({ source, index, step }: Cursor): void {
    if (!this.wants(step)) return;
    this.count++;
    this.#steps.push(step);
    this.#wallTimes.push(source.points.wallTimes[index]!);
    this.#values.push(source.points.values[index]!);
    this.#superseded.push(source.superseded(index) ? 1 : 0);
  }

  finish(): { points: PointColumns; superseded: Uint8Array } {
    return {
      points: {
        steps: BigInt64Array.from(this.#steps),
        wallTimes: Float64Array.from(this.#wallTimes),
        values: Float64Array.from(this.#values),
      },
      superseded: Uint8Array.from(this.#superseded),
    };
  }
}
