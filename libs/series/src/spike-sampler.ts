import type { PointColumns } from '#model';

/** How one series is sampled. */
export interface SamplePlan {
  /** Number of points that will be added. */
  readonly total: number;
  /** Number of requested points, fewer than `total`. */
  readonly points: number;
  /**
   * Number of series with the same steps that are sampled alike: the important points of each are
   * in the samples of all.
   */
  readonly alike: number;
}

/**
 * Reserves one position per this many points for a NaN that numbers would hide. A guess, not
 * measured.
 */
const pointsPerNaN = 16;

/**
 * Samples a series for readers that draw only the points they get, without hiding spikes. Buckets
 * have equal numbers of points. The sample has the smallest and the largest value of each bucket, a
 * NaN if there is one, the last point, and evenly spaced other points, up to the requested number.
 * Accepts points with rising steps, a part at a time, and keeps the points that may be selected.
 *
 * ```
 * points − 1 = 2 · buckets · alike + NaNs,   n − 1 points are dealt to the buckets, the n-th is kept anyway
 * ```
 */
export class SpikeSampler {
  readonly #total: number;
  readonly #wanted: number;
  readonly #buckets: number;
  #nansLeft: number;
  #seen = 0;

  #bucket = 0;
  #bucketEnd: number;
  #minAt = -1;
  #maxAt = -1;
  #nanAt = -1;
  #min = 0;
  #max = 0;

  #evenNo = 0;
  #evenAt: number;

  /** The points that may be selected, rising by position. */
  readonly #candidates = new Candidates();
  /**
   * The evenly spaced points of the current bucket, and its most important points before the part
   * being read.
   */
  readonly #evens = new Map<number, Point>();
  readonly #held = new Map<number, Point>();
  readonly #spikes: number[] = [];

  constructor({ total, points, alike }: SamplePlan) {
    this.#total = total;
    this.#wanted = points;
    const nans = Math.floor(points / pointsPerNaN);
    this.#buckets = Math.min(total - 1, Math.floor((points - 1 - nans) / (2 * alike)));
    this.#nansLeft = Math.floor(nans / alike);
    this.#bucketEnd = this.#endOf(0);
    this.#evenAt = evenPlace(0, total, points);
  }

  add(points: PointColumns): void {
    const { values } = points;
    const count = values.length;
    const from = this.#seen;
    for (let i = 0; i < count; i++) {
      const at = from + i;
      if (at === this.#bucketEnd) this.#close(points, from);
      const value = values[i]!;
      if (value !== value) {
        if (this.#nanAt < 0) this.#nanAt = at;
      } else {
        if (this.#minAt < 0 || value < this.#min) {
          this.#min = value;
          this.#minAt = at;
        }
        if (this.#maxAt < 0 || value > this.#max) {
          this.#max = value;
          this.#maxAt = at;
        }
      }
      if (at === this.#evenAt) {
        this.#evens.set(at, pointAt(points, i));
        this.#evenAt = evenPlace(++this.#evenNo, this.#total, this.#wanted);
      }
    }
    this.#seen = from + count;
    for (const at of [this.#minAt, this.#maxAt, this.#nanAt]) if (at >= from) this.#held.set(at, pointAt(points, at - from));
    if (this.#seen < this.#total) return;
    this.#evens.set(this.#total - 1, pointAt(points, count - 1));
    this.#close(points, from);
  }

  /** The zero-based positions of the points that must not be hidden, except for the last point. */
  get spikes(): readonly number[] {
    return this.#spikes;
  }

  /** The points at these rising positions, which must be candidates. */
  pick(places: readonly number[]): PointColumns {
    return this.#candidates.pick(places);
  }

  #close(points: PointColumns, from: number): void {
    const kept = new Map(this.#evens);
    for (const at of this.#bucket < this.#buckets ? this.#spikesOfBucket() : []) {
      this.#spikes.push(at);
      kept.set(at, at >= from ? pointAt(points, at - from) : this.#held.get(at)!);
    }
    for (const [at, point] of [...kept].sort(([a], [b]) => a - b)) this.#candidates.push(at, point);
    this.#evens.clear();
    this.#held.clear();
    this.#minAt = this.#maxAt = this.#nanAt = -1;
    this.#bucketEnd = this.#endOf(++this.#bucket);
  }

  #spikesOfBucket(): number[] {
    const found = new Set<number>();
    if (this.#minAt >= 0) found.add(this.#minAt).add(this.#maxAt);
    if (this.#nanAt >= 0 && (found.size < 2 || this.#nansLeft > 0)) {
      if (found.size === 2) this.#nansLeft--;
      found.add(this.#nanAt);
    }
    return [...found];
  }

  #endOf(bucket: number): number {
    return bucket < this.#buckets ? Math.floor(((bucket + 1) * (this.#total - 1)) / this.#buckets) : this.#total;
  }
}

/**
 * The positions of a sample of exactly `points`, fewer than `total`: the last one, the spikes (at
 * most `points` − 1), and evenly spaced others.
 */
export function samplePlaces(total: number, points: number, spikes: Iterable<number>): number[] {
  const chosen = new Set([...spikes, total - 1]);
  const others: number[] = [];
  for (let no = 0; no < points; no++) {
    const at = evenPlace(no, total, points);
    if (!chosen.has(at)) others.push(at);
  }
  const missing = points - chosen.size;
  for (let i = 0; i < missing; i++) chosen.add(others[Math.floor(((2 * i + 1) * others.length) / (2 * missing))]!);
  return [...chosen].sort((a, b) => a - b);
}

/**
 * The position of the point with number `no` among `points` evenly spaced points, including the
 * first and the last. A single point is the last one. Returns −1 if `no` is out of range.
 */
function evenPlace(no: number, total: number, points: number): number {
  if (no >= points) return -1;
  return points === 1 ? total - 1 : Math.floor((no * (total - 1)) / (points - 1));
}

interface Point {
  readonly step: bigint;
  readonly wallTime: number;
  readonly value: number;
}

function pointAt({ steps, wallTimes, values }: PointColumns, i: number): Point {
  return { step: steps[i]!, wallTime: wallTimes[i]!, value: values[i]! };
}

class Candidates {
  readonly #places: number[] = [];
  readonly #points: Point[] = [];

  push(place: number, point: Point): void {
    this.#places.push(place);
    this.#points.push(point);
  }

  pick(places: readonly number[]): PointColumns {
    const out = {
      steps: new BigInt64Array(places.length),
      wallTimes: new Float64Array(places.length),
      values: new Float64Array(places.length),
    };
    let from = 0;
    places.forEach((place, i) => {
      while (this.#places[from]! < place) from++;
      const point = this.#points[from]!;
      out.steps[i] = point.step;
      out.wallTimes[i] = point.wallTime;
      out.values[i] = point.value;
    });
    return out;
  }
}
