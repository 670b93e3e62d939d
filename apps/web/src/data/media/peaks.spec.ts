import { expect, it } from 'vitest';
import { peaksOf } from './peaks.ts';

it('keeps the smallest and the largest sample of each part, of all channels', () => {
  const left = Float32Array.of(0, 0.5, 0, -1, 0, 0, 0.25);
  const right = Float32Array.of(0, 0, -0.5, 0, 0, 0, 0);
  expect(peaksOf([left, right], 2)).toEqual([
    { min: -0.5, max: 0.5 },
    { min: -1, max: 0.25 },
  ]);
});

it('leaves out no sample: an isolated one is in exactly one part', () => {
  for (let at = 0; at < 100; at++) {
    const samples = new Float32Array(100);
    samples[at] = 1;
    expect(peaksOf([samples], 7).filter(({ max }) => max === 1)).toHaveLength(1);
  }
});

it('has no more parts than samples', () => {
  expect(peaksOf([Float32Array.of(1, 2)], 10)).toEqual([
    { min: 1, max: 1 },
    { min: 2, max: 2 },
  ]);
  expect(peaksOf([new Float32Array()], 10)).toEqual([]);
  expect(peaksOf([], 10)).toEqual([]);
});
