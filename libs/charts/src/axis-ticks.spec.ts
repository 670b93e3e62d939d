import { expect, it } from 'vitest';
import { valueTicks, xTicks } from './axis-ticks.ts';
import { makeScale } from './scale.ts';

const labels = (ticks: readonly { label: string }[]) => ticks.map(({ label }) => label);

it('labels whole steps only', () => {
  expect(labels(xTicks('step', makeScale('linear', 0, 4999)))).toEqual(['0', '1k', '2k', '3k', '4k']);
  expect(labels(xTicks('step', makeScale('linear', 0, 2)))).toEqual(['0', '1', '2']);
  expect(labels(xTicks('step', makeScale('log', 1, 100_000)))).toEqual(['1', '100', '10k']);
});

it('labels times by their size', () => {
  expect(labels(xTicks('relative', makeScale('linear', 0, 3600)))).toEqual(['0', '15 min', '30 min', '45 min', '1 h']);
  const noon = Date.UTC(2026, 10, 21, 12) / 1000;
  expect(labels(xTicks('wall', makeScale('linear', noon, noon + 4 * 3600)))).toEqual(['12:00', '13:00', '14:00', '15:00', '16:00']);
  expect(labels(xTicks('wall', makeScale('linear', noon, noon + 86_400)))).toEqual(['12:00', '18:00', '22 Nov', '06:00', '12:00']);
  expect(labels(xTicks('wall', makeScale('linear', noon, noon + 4 * 3600), 5, 3600))).toEqual([
    '13:00',
    '14:00',
    '15:00',
    '16:00',
    '17:00',
  ]);
  expect(labels(xTicks('wall', makeScale('linear', noon, noon + 20 * 86_400)))).toEqual(['26 Nov', '3 Dec', '10 Dec']);
});

it('labels values with the digits that they need', () => {
  expect(labels(valueTicks(makeScale('linear', 0, 1)))).toEqual(['0', '0.25', '0.50', '0.75', '1.00']);
});
