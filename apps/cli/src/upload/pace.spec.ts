import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';
import { maxSegmentBytes, segmentBytesFor } from './scratch.ts';

const MiB = 1024 * 1024;

describe('Pace', () => {
  it('starts small and takes the largest ranges at once on a fast line', () => {
    const pace = new Pace(maxSegmentBytes);
    expect(pace.bytes).toBe(MiB);
    pace.measured(MiB, 20);
    expect(pace.bytes).toBe(maxSegmentBytes);
  });

  it('aims at a second for a request on a slow line, with a least size', () => {
    const pace = new Pace(maxSegmentBytes);
    pace.measured(MiB, 2000);
    expect(pace.bytes).toBe(MiB / 2);
    pace.measured(MiB / 2, 60_000);
    expect(pace.bytes).toBe(256 * 1024);
  });

  it('is not slowed down by tiny files, whose requests are all waiting', () => {
    const pace = new Pace(maxSegmentBytes);
    pace.measured(100, 50);
    expect(pace.bytes).toBe(MiB);
  });
});

describe('segmentBytesFor', () => {
  it('keeps the buffers of all connections within 64 MiB', () => {
    for (let lanes = 1; lanes <= 64; lanes++) {
      expect(lanes * segmentBytesFor(lanes)).toBeLessThanOrEqual(64 * MiB);
      expect(segmentBytesFor(lanes)).toBeGreaterThanOrEqual(MiB);
    }
    expect(segmentBytesFor(4)).toBe(maxSegmentBytes);
  });
});
