import fc from 'fast-check';
import { expect, it } from 'vitest';
import { heightOf, lineHeight, scrollTo, windowAt } from './log-window.ts';

const viewports = fc.integer({ min: 40, max: 3_000 });

it('shows the first line at the top, the last one at the bottom, and never more than fit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000_000 }), viewports, fc.double({ min: 0, max: 1, noNaN: true }), (lines, viewport, at) => {
      const way = Math.max(0, heightOf(lines) - viewport);
      expect(windowAt(lines, 0, viewport).first).toBe(1);
      expect(windowAt(lines, way, viewport).last).toBe(lines);
      const { first, last, above } = windowAt(lines, at * way, viewport);
      expect(last - first + 1).toBeLessThanOrEqual(Math.ceil(viewport / lineHeight) + 1);
      expect(above).toBeGreaterThanOrEqual(0);
      expect(above).toBeLessThan(lineHeight);
    }),
  );
});

it('scrolls pixel by pixel as long as browsers can show the height', () => {
  expect(windowAt(600_000, 1_800_009, 900)).toEqual({ first: 100_001, last: 100_051, above: expect.closeTo(9, 3) });
});

it('finds the position of a line again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000_000 }), viewports, fc.double({ min: 0, max: 1, noNaN: true }), (lines, viewport, at) => {
      const line = 1 + Math.floor(at * (lines - 1));
      const { first, last } = windowAt(lines, scrollTo(line, lines, viewport), viewport);
      expect(line).toBeGreaterThanOrEqual(first);
      expect(line).toBeLessThanOrEqual(last);
    }),
  );
});
