import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelWidth, leftInset, type Tick, valueTicks, xTicks } from './axis-ticks.ts';
import { makeScale, scaleKinds } from './scale.ts';

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

it('labels values with as many digits as they need', () => {
  expect(labels(valueTicks(makeScale('linear', 0, 1)))).toEqual(['0', '0.25', '0.50', '0.75', '1.00']);
});

it('labels wall times as clocks show them where daylight saving time ends or starts', () => {
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

it('leaves out labels that do not fit', () => {
  const space = { wide: 280, left: 48, right: 20 };
  const long = xTicks('step', makeScale('linear', 1e18, 1e18 + 1e6), 5, undefined, space);
  expect(long.map(({ label }) => label)).toEqual(['1e18']);
  expect(labels(xTicks('step', makeScale('linear', 0, 4999), 5, undefined, space))).toEqual(['0', '1k', '2k', '3k', '4k']);
  expect(labels(xTicks('step', makeScale('linear', 0, 4000), 5, undefined, { ...space, right: 2 }))).toEqual(['0', '2,500']);
});

it('labels are distinct where steps are far from 0, or times close together', () => {
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

it('reserves as much space beside the plot as labels need', () => {
  expect(leftInset(['0', '0.25'])).toBe(48);
  expect(leftInset(['2.375e-4', '2.4e-4'])).toBe(72);
  expect(leftInset(['−1,000,000,000,000,000,128'])).toBe(184);
});

describe('labels far from 0, of narrow ranges and of fractions', () => {
  const space = { wide: 280, left: 48, right: 20 };
  const noon = Date.UTC(2026, 10, 21, 13) / 1000;
  const all = (axis: 'step' | 'relative' | 'wall', from: number, to: number, max = 5) =>
    labels(xTicks(axis, makeScale('linear', from, to), max));

  it.each([
    [1e18 + 1e5, 1e18 + 9e5, ['1,000,000,000,000,499,968']], // a multiple of 128, like float64 values of this size
    [2 ** 53, 2 ** 53 + 8, ['9,007,199,254,740,994', '9,007,199,254,740,998']],
  ])('steps from %d to %d have all digits', (from, to, expected) => {
    expect(labels(xTicks('step', makeScale('linear', from, to), 5, undefined, space))).toEqual(expected);
  });

  it('values of 1e9 and tenths show their tenths on every kind of axis', () => {
    for (const kind of scaleKinds)
      expect(labels(valueTicks(makeScale(kind, 1e9, 1e9 + 0.5)))).toEqual(['1,000,000,000.0', '1,000,000,000.2', '1,000,000,000.4']);
    expect(labels(valueTicks(makeScale('linear', 1e9, 1e9 + 0.5), 5, { ...space, wide: 100 }))).toEqual(['1G']);
  });

  it('relative times are not rounded to other times', () => {
    expect(all('relative', 9, 10.1)).toEqual(['9.00 s', '9.25 s', '9.50 s', '9.75 s', '10.00 s']);
    expect(all('relative', 10.3, 10.7)).toEqual(['10.3 s', '10.4 s', '10.5 s', '10.6 s', '10.7 s']);
    expect(all('relative', 0, 0.0005)).toEqual(['0', '2e-4 s', '4e-4 s']);
    expect(all('relative', -120, 120)).toEqual(['−2 min', '−1 min', '0', '1 min', '2 min']);
    expect(labels(xTicks('relative', makeScale('log', 1, 1e7)))).toEqual(['1 s', '100 s', '10k s', '1M s']);
  });

  it('wall times show the hours or the fractions of a second that distinguish them', () => {
    expect(all('wall', noon, noon + 4.2 * 86_400, 9).slice(0, 4)).toEqual(['22 Nov', '12:00', '23 Nov', '12:00']);
    expect(all('wall', noon, noon + 0.001)).toEqual(['13:00:00', '13:00:00.00025', '13:00:00.0005', '13:00:00.00075', '13:00:00.001']);
    expect(all('wall', noon + 9.5, noon + 11.4)).toEqual(['13:00:09.5', '13:00:10', '13:00:10.5', '13:00:11']);
  });
});

/** The number that a step label or value label represents. */
const read = (label: string): number => {
  const unit = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[label.at(-1)!];
  return Number((unit ? label.slice(0, -1) : label).replaceAll(',', '').replace('−', '-')) * (unit ?? 1);
};

const place = fc.oneof(
  fc.double({ min: -1e20, max: 1e20, noNaN: true }),
  fc.double({ min: -1e-3, max: 1e-3, noNaN: true }),
  fc.constantFrom(0, 1e9, 2 ** 53, 1e18, -(2 ** 63), 2.375e-4),
);
const share = fc.oneof(fc.double({ min: 1e-12, max: 1, noNaN: true }), fc.constantFrom(1e-10, 1e-6, 1e3, 1e9));

it.each(scaleKinds)('no label of any %s axis is cut, repeated or wrong', (kind) => {
  fc.assert(
    fc.property(place, share, fc.constantFrom(280, 640, 1200), (from, part, wide) => {
      const to = from + Math.max(Math.abs(from) * part, 1e-15);
      fc.pre(to - from > Math.abs(from) * 1e-12 && (kind !== 'log' || from > 0));
      const scale = makeScale(kind, from, to, 10 ** Math.floor(Math.log10(to - from) - 3));
      const y = valueTicks(scale);
      const left = leftInset(labels(y));
      for (const tick of y) expect(labelWidth(tick.label)).toBeLessThanOrEqual(left - 8);
      const x = xTicks('step', scale, wide > 600 ? 8 : 5, undefined, { wide, left, right: 20 });
      let end = -left;
      for (const { value, label } of x) {
        const [at, half] = [scale.position(value) * wide, labelWidth(label) / 2];
        expect(at - half).toBeGreaterThanOrEqual(end);
        expect(at + half).toBeLessThanOrEqual(wide + 20);
        end = at + half;
      }
      for (const ticks of [x, y]) areDistinctAndTrue(ticks, to - from);
    }),
  );
});

function areDistinctAndTrue(ticks: readonly Tick[], range: number): void {
  expect(new Set(labels(ticks)).size).toBe(ticks.length);
  for (const { value, label } of ticks) expect(Math.abs(read(label) - value)).toBeLessThanOrEqual(range / 100);
}

it('no label of a time axis equals its neighbor or shows another time', () => {
  const start = fc.oneof(fc.double({ min: 0, max: 1e8, noNaN: true }), fc.constantFrom(0, 86_400, 1.7e9));
  const length = fc.oneof(fc.double({ min: 1e-3, max: 1e8, noNaN: true }), fc.double({ min: 1e-3, max: 20, noNaN: true }));
  fc.assert(
    fc.property(start, length, fc.constantFrom(...scaleKinds), (from, wide, kind) => {
      fc.pre(kind !== 'log' || from > 0);
      const relative = xTicks('relative', makeScale(kind, from, from + wide), 8);
      expect(new Set(labels(relative)).size).toBe(relative.length);
      const moments = xTicks('wall', makeScale('linear', from, from + wide), 9);
      moments.forEach(({ label }, i) => expect(label).not.toBe(moments[i - 1]?.label));
    }),
  );
});
