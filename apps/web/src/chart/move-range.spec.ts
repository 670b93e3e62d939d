import { describe, expect, it } from 'vitest';
import { makeScale } from '#charts';
import { pannedRange, wheelPixels, wheelRange } from './move-range.ts';

const whole = { min: 0, max: 1000 };

describe('a wheel over an axis', () => {
  it('keeps the value under the pointer in place, in and out again', () => {
    const before = makeScale('linear', 200, 600);
    const inside = wheelRange(before, whole, 0.25, -100);
    if (inside === 'all') throw new Error('zoomed out');
    expect(makeScale('linear', inside.min, inside.max).position(300)).toBeCloseTo(0.25, 12);
    expect(inside.max - inside.min).toBeCloseTo(400 * Math.exp(-0.3), 9);
    const back = wheelRange(makeScale('linear', inside.min, inside.max), whole, 0.25, 100);
    expect(back).toEqual({ min: expect.closeTo(200, 9) as number, max: expect.closeTo(600, 9) as number });
  });

  it('shows everything once nothing is outside', () => {
    expect(wheelRange(makeScale('linear', 100, 900), whole, 0.5, 100)).toBe('all');
    expect(wheelRange(makeScale('linear', 0, 900), whole, 0, 20)).toEqual({
      min: 0,
      max: expect.closeTo(900 * Math.exp(0.06), 9) as number,
    });
  });

  it('zooms a logarithmic axis by equal factors', () => {
    const inside = wheelRange(makeScale('log', 1, 10_000), { min: 1, max: 10_000 }, 0.5, -100);
    if (inside === 'all') throw new Error('zoomed out');
    expect(inside.min * inside.max).toBeCloseTo(10_000, 6);
  });

  it('is bounded, however far it turns', () => {
    expect(wheelRange(makeScale('linear', 200, 600), whole, 0.5, -1e9)).toEqual(
      wheelRange(makeScale('linear', 200, 600), whole, 0.5, -200),
    );
  });

  it('converts lines and pages to pixels', () => {
    expect(wheelPixels({ deltaX: 1, deltaY: -2, deltaMode: 1 })).toEqual({ across: 16, along: -32 });
  });
});

describe('a panned axis', () => {
  it('stops at the end of the data', () => {
    const scale = makeScale('linear', 200, 600);
    expect(pannedRange(scale, whole, 0.5)).toEqual({ min: 400, max: 800 });
    expect(pannedRange(scale, whole, 5)).toEqual({ min: 600, max: 1000 });
    expect(pannedRange(scale, whole, -5)).toEqual({ min: 0, max: 400 });
    expect(pannedRange(makeScale('linear', 600, 1000), whole, 1)).toBeNull();
  });
});
