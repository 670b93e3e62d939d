import type { RunId } from '#model';
import { Lru } from './lru.ts';
import type { CachedPoint } from './point-cache.ts';

/** The point of each run that has one. */
export type RunPoints = ReadonlyMap<RunId, CachedPoint>;

/** Overhead of one entry, in points (a guess). It also bounds the number of entries. */
const overhead = 10;

/** One point per run of an experiment, bounded in points. */
export class RunPointsCache extends Lru<RunPoints> {
  constructor(max: number) {
    super(max, (points) => points.size + overhead);
  }
}
