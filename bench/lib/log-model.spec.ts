import { expect, test } from 'vitest';
import { defaultModel, entropyFloor, Random, RunModel } from './log-model.ts';

test('runs are equal for equal seeds and indexes, and differ otherwise', () => {
  const points = (seed: number, run: number): number[] => {
    const model = new RunModel({ ...defaultModel, seed }, run);
    return Array.from({ length: 50 }, (_, step) => [model.nextStep(), model.value(0, step), model.gap()]).flat();
  };
  expect(points(1, 0)).toEqual(points(1, 0));
  expect(points(2, 0)).not.toEqual(points(1, 0));
  expect(points(1, 1)).not.toEqual(points(1, 0));
});

test('noise, spikes, jitter and gaps match the model', () => {
  const steps = 100_000;
  const model = { ...defaultModel, steps };
  const run = new RunModel(model, 3);
  const smooth = new RunModel({ ...model, noise: 0, spikeRate: 0 }, 3);
  const intervals: number[] = [];
  const noise: number[] = [];
  const gaps: number[] = [];
  let spikes = 0;
  let before = run.nextStep();
  for (let step = 0; step < steps; step++) {
    const now = run.nextStep();
    intervals.push(now - before);
    before = now;
    gaps.push(run.gap());
    const ratio = run.value(0, step) / smooth.value(0, step);
    if (ratio > 5) spikes++;
    else noise.push(ratio - 1);
  }
  expect(mean(intervals)).toBeCloseTo(0.5, 4);
  expect(deviation(intervals)).toBeCloseTo(0.002, 4);
  expect(deviation(noise)).toBeCloseTo(0.05, 3);
  expect(mean(gaps)).toBeCloseTo(100e-6, 6);
  expect(Math.min(...gaps)).toBeGreaterThan(84e-6);
  expect(spikes / steps).toBeGreaterThan(0.0005);
  expect(spikes / steps).toBeLessThan(0.0015);
});

test('the computed floor agrees with the entropy counted in generated values', () => {
  // A flat curve: the residuals of all steps share one spacing, so their counted entropy is the
  // floor.
  const deviations = 2_000;
  const random = new Random(7);
  const counts = new Map<number, number>();
  const total = 2_000_000;
  for (let i = 0; i < total; i++) {
    const bin = Math.round(deviations * random.gaussian());
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  let counted = 0;
  for (const n of counts.values()) counted -= (n / total) * Math.log2(n / total);
  const spacing = 2 ** -22; // of float64 near 1.78e9
  const floor = entropyFloor({ ...defaultModel, jitterSeconds: deviations * spacing });
  expect(Math.abs(floor.wallTime * 8 - counted)).toBeLessThan(0.02);
});

test('the floor of the default model is that of the design: 2.65 bytes per value and 1.89 per wall time', () => {
  const floor = entropyFloor(defaultModel);
  expect(floor.value).toBeCloseTo(2.65, 1);
  expect(floor.wallTime).toBeCloseTo(1.89, 1);
  expect(floor.sharedWallTime).toBeLessThan(floor.wallTime);
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}
