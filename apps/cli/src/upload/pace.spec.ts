import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';
import { maxSegmentBytes, segmentBytesFor } from './scratch.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

describe('Pace', () => {
  it('starts small and uses the largest ranges at once on a fast connection', () => {
    const pace = new Pace(maxSegmentBytes);
    expect(pace.bytes).toBe(256 * KiB);
    pace.measured(256 * KiB, 5);
    expect(pace.bytes).toBe(maxSegmentBytes);
  });

  it('aims at a second per request', () => {
    const pace = new Pace(maxSegmentBytes);
    pace.measured(MiB, 2000);
    expect(pace.bytes).toBe(MiB / 2);
  });

  it('aims at a few seconds on a slow connection, down to a minimum size', () => {
    const pace = new Pace(maxSegmentBytes);
    pace.measured(256 * KiB, 8000); // 32 KiB a second
    expect(pace.bytes).toBe(128 * KiB);
    pace.measured(128 * KiB, 32_000); // 4 KiB a second
    expect(pace.bytes).toBe(16 * KiB);
    pace.measured(16 * KiB, 16_000);
    expect(pace.bytes).toBe(16 * KiB);
    pace.measured(16 * KiB, 1); // the line has recovered
    expect(pace.bytes).toBe(maxSegmentBytes);
  });

  it('shrinks ranges after a lost connection, down to the minimum', () => {
    const pace = new Pace(maxSegmentBytes);
    pace.cut(256 * KiB);
    expect(pace.bytes).toBe(64 * KiB);
    pace.cut(64 * KiB);
    pace.cut(16 * KiB);
    expect(pace.bytes).toBe(16 * KiB);
    expect([pace.canCut(16 * KiB + 1), pace.canCut(16 * KiB)]).toEqual([true, false]);
  });

  it('is not slowed down by tiny files, whose requests consist of latency', () => {
    const pace = new Pace(maxSegmentBytes);
    pace.measured(100, 50);
    expect(pace.bytes).toBe(256 * KiB);
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
