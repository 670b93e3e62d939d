import { expect, it } from 'vitest';
import { leftInset, valueTicks, xTicks } from './axis-ticks.ts';
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
  expect(labels(xTicks('wall', makeScale('linear', noon, noon + 4 * 3600), 5, () => 3600))).toEqual([
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

it('labels moments as clocks show them where summer time ends or begins', () => {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' });
  const offset = (seconds: number): number => {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: 'Europe/Berlin', timeZoneName: 'longOffset' }).formatToParts(seconds * 1000);
    return 3600 * Number(/GMT\+0(\d)/.exec(parts.at(-1)!.value)![1]);
  };
  for (const change of [Date.UTC(2026, 9, 25, 1) / 1000, Date.UTC(2026, 2, 29, 1) / 1000])
    for (const [before, after] of [
      [6, 6],
      [2, 1],
      [1.5, 20],
    ] as const) {
      const ticks = xTicks('wall', makeScale('linear', change - before * 3600, change + after * 3600), 9, offset);
      expect(ticks.length).toBeGreaterThan(2);
      for (const { value, label } of ticks) if (label.includes(':')) expect(label).toBe(clock.format(value * 1000));
    }
});

it('labels only what has room', () => {
  const room = { wide: 280, left: 48, right: 20 };
  const long = xTicks('step', makeScale('linear', 1e18, 1e18 + 1e6), 5, undefined, room);
  expect(long.map(({ label }) => label)).toEqual(['1e18']);
  expect(labels(xTicks('step', makeScale('linear', 0, 4999), 5, undefined, room))).toEqual(['0', '1k', '2k', '3k', '4k']);
  expect(labels(xTicks('step', makeScale('linear', 0, 4000), 5, undefined, { ...room, right: 2 }))).toEqual(['0', '2,500']);
});

it('are distinct where steps are far from 0, or times near one another', () => {
  for (const [from, to] of [
    [1e18, 1e18 + 300],
    [2 ** 60, 2 ** 60 + 4096],
    [1e9, 1e9 + 3],
  ] as const) {
    const found = labels(xTicks('step', makeScale('linear', from, to)));
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBeGreaterThan(0);
  }
  const times = labels(xTicks('relative', makeScale('linear', 86_400, 86_460)));
  expect(new Set(times).size).toBe(times.length);
});

it('leaves as much room beside the plot as labels need', () => {
  expect(leftInset(['0', '0.25'])).toBe(48);
  expect(leftInset(['2.375e-4', '2.4e-4'])).toBe(72);
  expect(leftInset(['−1,000,000,000,000,000,128'])).toBe(184);
});
