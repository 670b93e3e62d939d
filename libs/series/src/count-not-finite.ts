import { pauseIfLong } from '#admission';
import { decodeBody, maxChunkPoints, newPoints } from '#chunks';
import type { PointColumns, SeriesId } from '#model';
import { listNotFiniteChunks, type NotFiniteChunk, readNotFiniteBodies, type ScalarSeries, type Snapshot } from '#store';
import { ahead } from './ahead.ts';
import type { Buckets } from './bucket-columns.ts';
import type { NotFinite, SeriesResult } from './scalar-result.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/** Number of chunks that are decoded in one group. */
const groupChunks = 128;

/**
 * Maximum number of points that one request decodes to count non-finite values. Further series are
 * returned without the counts. A guess.
 */
const maxPoints = 32_000_000;

/**
 * Adds to buckets how many of their points are NaN, positive infinity and negative infinity. Reads
 * only chunks with such points, and decodes their points only if the summary is not sufficient,
 * because the chunk spans several buckets or contains infinities.
 */
export async function countNotFinite(
  snapshot: Snapshot,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  responses: readonly SeriesResult[],
  max = maxPoints,
): Promise<SeriesResult[]> {
  const counters = responses.map(({ content }) => ('buckets' in content ? new NotFiniteCounter(content.buckets) : null));
  const wanted = counters.flatMap((counter, i) => (counter && !counter.isEmpty ? [i] : []));
  const stored = wanted.filter((i) => list[i]!.hasNotFinite);
  const chunks = await listNotFiniteChunks(
    snapshot,
    stored.map((i) => ({ seriesId: list[i]!.seriesId, ...counters[i]!.range })),
  );
  const unknown = new Set<number>();
  const toDecode: { readonly series: number; readonly seriesId: SeriesId; readonly firstStep: bigint }[] = [];
  let points = 0;
  for (const chunk of chunks) {
    const series = stored[chunk.request]!;
    if (counters[series]!.addWhole(chunk)) continue;
    points += chunk.points;
    if (points > max) unknown.add(series);
    else toDecode.push({ series, seriesId: list[series]!.seriesId, firstStep: chunk.firstStep });
  }
  const groups = Array.from({ length: Math.ceil(toDecode.length / groupChunks) }, (_, g) =>
    toDecode.slice(g * groupChunks, (g + 1) * groupChunks),
  );
  const read = async (group: typeof toDecode) => ({ group, bodies: await readNotFiniteBodies(snapshot, group) });
  for await (const { group, bodies } of ahead(groups, read)) {
    for (const [n, { series }] of group.entries()) {
      const pause = pauseIfLong();
      if (pause) await pause;
      counters[series]!.addPoints(decodeBody(bodies[n]!, buffer).points);
    }
  }
  for (const i of wanted) counters[i]!.addPoints((tails.get(list[i]!.seriesId) ?? noTail).effective);
  return responses.map((response, i) => {
    const counts = unknown.has(i) ? null : counters[i]?.finish();
    return counts ? { ...response, notFinite: counts } : response;
  });
}

const buffer = newPoints(maxChunkPoints);

/** Counts for the buckets of one series. */
class NotFiniteCounter {
  readonly #buckets: Buckets;
  #counts: NotFinite | null = null;

  constructor(buckets: Buckets) {
    this.#buckets = buckets;
  }

  get isEmpty(): boolean {
    return this.#buckets.count.length === 0;
  }

  /** The steps from the first bucket to the last. */
  get range(): { readonly from: bigint; readonly to: bigint } {
    const { step, lastStep } = this.#buckets;
    return { from: BigInt(step[0]!), to: BigInt(lastStep[lastStep.length - 1]!) };
  }

  /** Counts a chunk from its summary. Returns false if the summary is not sufficient. */
  addWhole({ firstStep, lastStep, nanCount, infinite }: NotFiniteChunk): boolean {
    const bucket = this.#bucketOf(firstStep);
    if (infinite || bucket < 0 || BigInt(this.#buckets.lastStep[bucket]!) < lastStep) return false;
    this.#made.nan[bucket]! += nanCount;
    return true;
  }

  /** Counts the points that are in buckets. */
  addPoints({ steps, values }: PointColumns): void {
    // The bucket of the previous point, which usually contains the next point too
    let bucket = -1;
    let from = 0n;
    let to = -1n;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (Number.isFinite(value)) continue;
      const step = steps[i]!;
      if (step < from || step > to) {
        bucket = this.#bucketOf(step);
        if (bucket < 0) continue;
        from = BigInt(this.#buckets.step[bucket]!);
        to = BigInt(this.#buckets.lastStep[bucket]!);
        if (step > to) continue;
      }
      const { nan, positive, negative } = this.#made;
      const column = Number.isNaN(value) ? nan : value > 0 ? positive : negative;
      column[bucket]! += 1;
    }
  }

  /** Returns null if every value is finite. */
  finish(): NotFinite | null {
    return this.#counts;
  }

  get #made(): NotFinite {
    const length = this.#buckets.count.length;
    return (this.#counts ??= { nan: new Float64Array(length), positive: new Float64Array(length), negative: new Float64Array(length) });
  }

  /** The last bucket that starts at or before the step; -1 if there is none. */
  #bucketOf(step: bigint): number {
    const begins = this.#buckets.step;
    let low = 0;
    let high = begins.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      // Numbers and BigInts compare exactly.
      if (begins[middle]! <= step) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
