import { expect, it } from 'vitest';
import { zoomed } from './moving.ts';

it('zooms about a fixed point, and only as far as text is readable', () => {
  const place = { x: 10, y: 20, scale: 1 };
  const point = { x: 110, y: 70 };
  const larger = zoomed(place, 2, point);
  expect(larger).toEqual({ x: -90, y: -30, scale: 2 });
  expect((point.x - larger.x) / larger.scale).toBe((point.x - place.x) / place.scale);
  expect(zoomed(place, 100, point).scale).toBe(4);
  expect(zoomed(place, 0.001, point).scale).toBe(0.05);
});
