import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeScale, scaleKinds } from './scale.ts';

describe('an axis', () => {
  it.each(scaleKinds)('%s: maps its ends to 0 and 1, keeps the order, and inverts', (kind) => {
    const value = fc.double({ min: 0.001, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const [min, middle, max] = [a, b, c].sort((x, y) => x - y) as [number, number, number];
        fc.pre(max > min * 1.0001);
        const scale = makeScale(kind, min, max);
        expect(scale.position(min)).toBe(0);
        expect(scale.position(max)).toBeCloseTo(1, 9);
        expect(scale.position(middle)).toBeGreaterThanOrEqual(-1e-12);
        expect(scale.position(middle)).toBeLessThanOrEqual(1 + 1e-9);
        expect(scale.inverse(scale.forward(middle)) / middle).toBeCloseTo(1, 9);
      }),
    );
  });

  it('has no position for 0 on a logarithmic axis', () => {
    expect(makeScale('log', 1, 10).position(0)).toBeNaN();
    expect(makeScale('log', 1, 10).position(-1)).toBeNaN();
  });

  it('shows both signs on a symlog axis, evenly by decades far from 0', () => {
    const scale = makeScale('symlog', -1e6, 1e6, 1);
    expect(scale.position(0)).toBeCloseTo(0.5, 12);
    expect(scale.position(1e5) - scale.position(1e4)).toBeCloseTo(scale.position(1e6) - scale.position(1e5), 6);
    expect(scale.position(-1e6)).toBe(0);
  });
});
