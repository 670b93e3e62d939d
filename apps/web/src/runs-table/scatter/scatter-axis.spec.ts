import { expect, it } from 'vitest';
import { axisOf, maxValues } from './scatter-axis.ts';
import { coloringOf } from './scatter-colors.ts';

const text = String;

it('places numbers on a linear or logarithmic scale, with padding at both ends', () => {
  const linear = axisOf([0, 10, null, Number.NaN], 'linear');
  expect(linear.placeOf(5)).toBeCloseTo(0.5, 12);
  expect(linear.placeOf(0)).toBeCloseTo(0.04 / 1.08, 12);
  const log = axisOf([0.001, 0.1, 0, -1], 'log');
  expect(log.placeOf(0.01)).toBeCloseTo(0.5, 12);
  expect([null, Number.NaN, Infinity, 0, -1].map(log.placeOf)).toEqual(Array.from({ length: 5 }, () => Number.NaN));
  expect(log.ticks(5, text).every(({ value, place }) => Math.abs(log.placeOf(value) - place) < 1e-12)).toBe(true);
});

it('has an axis for one value, and for none', () => {
  expect(axisOf([7, 7], 'linear').placeOf(7)).toBeCloseTo(0.5, 6);
  expect([0, 0.5, 1].map(axisOf([null], 'log').placeOf)).toEqual([0, 0.5, 1]);
});

it('gives texts a place each, as long as the labels fit', () => {
  const axis = axisOf(['sgd', 'adam', null, true], 'log');
  expect(axis.scale).toBeNull();
  expect(axis.values).toEqual(['adam', 'sgd', true]);
  expect(axis.placeOf('adam')).toBeCloseTo(1 / 6, 12);
  expect(axis.placeOf('other')).toBeNaN();
  expect(axis.ticks(2, text).map(({ label }) => label)).toEqual(['adam', 'true']);
  expect(
    axisOf(
      Array.from({ length: 100 }, (_, i) => `v${i}`),
      'linear',
    ).values,
  ).toHaveLength(maxValues);
});

it('colors numbers by a ramp, frequent values by a hue, and the rest gray', () => {
  const ramp = coloringOf([1, 3, null], 'light');
  expect(ramp.legend).toEqual({ kind: 'ramp', min: 1, max: 3 });
  expect([1, 2, 3, null].map(ramp.indexOf)).toEqual([0, 12, 23, 24]);
  const values = coloringOf(['b', 'a', 'b', ...Array.from({ length: 20 }, (_, i) => `rare ${i}`)], 'dark');
  expect(values.legend).toMatchObject({ kind: 'values', more: true });
  expect(values.indexOf('a')).not.toBe(values.indexOf('b'));
  expect(values.colors[values.indexOf('rare 19')]).toBe(values.colors.at(-1));
  expect(coloringOf(null, 'light').colors).toHaveLength(1);
});
