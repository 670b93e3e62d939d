import { describe, expect, it } from 'vitest';
import type { PointColumns } from '#model';
import { SampleCache } from './sample-cache.ts';

function points(count: number): PointColumns {
  return { steps: new BigInt64Array(count), wallTimes: new Float64Array(count), values: new Float64Array(count) };
}

describe('cached samples', () => {
  it('are evicted when least recently used, within their bound', () => {
    const cache = new SampleCache(41_000); // 24 bytes a point, and 300
    for (let i = 0; i < 18; i++) cache.put(`s${i}`, points(90));
    expect(cache.get('s0')).toBeNull();
    expect(cache.get('s1')).toBeNull();
    const kept = Array.from({ length: 18 }, (_, i) => cache.get(`s${i}`)).filter((sample) => sample !== null);
    expect(kept).toHaveLength(16);
  });

  it('stay while they are used', () => {
    const cache = new SampleCache(40_000);
    cache.put('wanted', points(10));
    for (let i = 0; i < 100; i++) {
      cache.put(`s${i}`, points(90));
      expect(cache.get('wanted')).not.toBeNull();
    }
  });

  it('are not cached if one would evict all others', () => {
    const cache = new SampleCache(40_000);
    cache.put('large', points(2_000));
    expect(cache.get('large')).toBeNull();
    const whole = points(2_000);
    cache.put('part of a large one', { ...whole, steps: whole.steps.subarray(0, 1) });
    expect(cache.get('part of a large one')).toBeNull();
  });
});
