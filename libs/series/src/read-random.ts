import { createHash } from 'node:crypto';
import type { FileId, PointColumns } from '#model';
import type { ScalarSeries, Snapshot } from '#store';
import { type EffectivePart, walkEffective } from './effective-points.ts';
import { slicePoints } from '#chunks';
import { joinPoints } from './point-range.ts';
import type { SeriesResult } from './scalar-result.ts';
import { type ScalarRequest, stepRange } from './scalar-request.ts';
import { pickPoints, type SeriesTail } from './tail-points.ts';

/**
 * Reads `random`: for each series, a uniform sample of its points without replacement. Every point
 * has a number that is a hash of the seed, the series and the point's arrival index (its file, and
 * its ordinal there). The points with the smallest numbers are selected. So the same seed gives the
 * same points, even after a tail was cut or chunks were joined. As a run grows, points are replaced
 * only by new ones. (TABLESAMPLE over chunk rows would not be uniform over points.)
 */
export async function readRandom(
  snapshot: Snapshot,
  request: ScalarRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<SeriesResult[]> {
  const range = stepRange(request);
  const samples = list.map((series) => new SmallestNumbers(request.points, seriesSeed(request.seed, series)));
  await walkEffective(snapshot, range, list, tails, (index, part) => samples[index]!.offer(part));
  return list.map((series, i) => {
    const sample = samples[i]!;
    return {
      run: series.run,
      tag: series.tag,
      writer: series.writer,
      sampling: 'random',
      exact: sample.seen <= request.points,
      sourcePoints: sample.seen,
      content: { points: sample.finish() },
    };
  });
}

/** A 64-bit seed for one series. */
function seriesSeed(seed: string, series: ScalarSeries): readonly [number, number] {
  const hash = createHash('sha256').update(`${seed}\0${series.seriesId}`).digest();
  return [hash.readInt32LE(0), hash.readInt32LE(4)];
}

/** Keeps the points with the `size` smallest numbers. */
class SmallestNumbers {
  seen = 0;
  readonly #size: number;
  readonly #seed: readonly [number, number];
  #bound = Infinity;
  /** Selected so far, in step order: numbers and their points. */
  #numbers: number[] = [];
  #points: PointColumns[] = [];

  constructor(size: number, seed: readonly [number, number]) {
    this.#size = size;
    this.#seed = seed;
  }

  offer({ points, fileIdAt, ordinalAt }: EffectivePart): void {
    const count = points.steps.length;
    this.seen += count;
    const file = new FileNumbers(this.#seed);
    const taken: number[] = [];
    for (let i = 0; i < count; i++) {
      const number = file.number(fileIdAt(i), ordinalAt(i));
      if (number > this.#bound) continue;
      taken.push(i);
      this.#numbers.push(number);
    }
    if (taken.length === 0) return;
    this.#points.push(taken.length === count ? slicePoints(points, 0, count) : pickPoints(points, taken));
    if (this.#numbers.length > 2 * this.#size + 4096) this.#prune();
  }

  finish(): PointColumns {
    this.#prune();
    return joinPoints(this.#points);
  }

  #prune(): void {
    if (this.#numbers.length <= this.#size) return;
    const sorted = Float64Array.from(this.#numbers).sort();
    this.#bound = sorted[this.#size - 1]!;
    const kept: number[] = [];
    this.#numbers.forEach((number, i) => {
      if (number <= this.#bound && kept.length < this.#size) kept.push(i);
    });
    this.#points = [pickPoints(joinPoints(this.#points), kept)];
    this.#numbers = kept.map((i) => this.#numbers[i]!);
  }
}

/**
 * 53-bit numbers for the points of one series, from the finalizer of MurmurHash3 (public
 * domain) over file and ordinal.
 */
class FileNumbers {
  readonly #seed: readonly [number, number];
  #fileId: FileId | null = null;
  #low = 0;
  #high = 0;

  constructor(seed: readonly [number, number]) {
    this.#seed = seed;
  }

  number(fileId: FileId, ordinal: number): number {
    if (fileId !== this.#fileId) {
      const id = BigInt(fileId);
      this.#fileId = fileId;
      this.#low = mix(this.#seed[0] ^ Number(BigInt.asIntN(32, id)));
      this.#high = mix(this.#seed[1] ^ Number(BigInt.asIntN(32, id >> 32n)) ^ this.#low);
    }
    const low = ordinal | 0;
    const high = Math.floor(ordinal / 4294967296) | 0;
    const first = mix(mix(this.#low ^ low) ^ high);
    const second = mix(mix(this.#high ^ low) + high + first);
    return (first >>> 0) * 2097152 + (second >>> 11);
  }
}

function mix(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
