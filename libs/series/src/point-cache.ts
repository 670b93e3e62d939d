import { Lru } from './lru.ts';

/** A point as it was logged. */
export interface CachedPoint {
  readonly step: bigint;
  readonly value: number;
  readonly wallTime: number;
}

/** Single points of chunks that do not change, bounded in number. */
export class PointCache extends Lru<CachedPoint> {
  constructor(max: number) {
    super(max, () => 1);
  }
}
