import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { experimentIdOf } from '#model/testing';
import { endPrefix, firstPrefix, idsPerPrefix, type Neighborhood, retryIds, RowIds } from './row-ids.ts';

const a = experimentIdOf('a'.repeat(22));
const other = (n: number) => experimentIdOf(String(n).padStart(22, 'b'));
const prefixOf = (id: number) => Math.floor(id / idsPerPrefix);

/** Prefixes that depend only on the neighborhood and the number of prefixes it has had. */
function seeded(): RowIds {
  const drawn = new Map<Neighborhood, number>();
  return new RowIds((neighborhood) => {
    const n = drawn.get(neighborhood) ?? 0;
    drawn.set(neighborhood, n + 1);
    return firstPrefix + 1_000 * Number(neighborhood.replaceAll(/\D/g, '').slice(-5)) + 10 * n;
  });
}

/** Uses these prefixes one after another. */
function fixed(...prefixes: number[]): RowIds {
  return new RowIds(() => prefixes.shift()!);
}

describe('ids of rows', () => {
  it('count up after a prefix', () => {
    const ids = fixed(firstPrefix);
    expect([ids.take(a), ids.take(a, 3), ids.take(a)]).toEqual([2 ** 40, 2 ** 40 + 1, 2 ** 40 + 4]);
  });

  it('are numbers of at most 15 digits, above all ids of a sequence', () => {
    for (const prefix of [firstPrefix, endPrefix - 1]) {
      const first = fixed(prefix).take(a, idsPerPrefix);
      expect(first).toBeGreaterThanOrEqual(2 ** 40);
      expect(Number.isSafeInteger(first)).toBe(true);
      expect(String(first + 10_000_000)).toMatch(/^[0-9]{1,15}$/); // also the last ID in a copy with ten million series
    }
    const drawn = Array.from({ length: 1_000 }, (_, n) => new RowIds().take(other(n)));
    for (const id of drawn) {
      expect(prefixOf(id)).toBeGreaterThanOrEqual(firstPrefix);
      expect(prefixOf(id)).toBeLessThan(endPrefix);
      expect(id % idsPerPrefix).toBe(0);
    }
    expect(new Set(drawn).size).toBe(1_000);
  });

  it('do not depend on other experiments', () => {
    const steps = fc.array(fc.record({ who: fc.constantFrom(0, 0, 1, 2, 3), count: fc.integer({ min: 1, max: 40_000 }) }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (taken) => {
        const [beside, alone] = [seeded(), seeded()];
        const mine = taken.flatMap(({ who, count }) => {
          const id = beside.take(other(who), count);
          return who === 0 ? [id] : [];
        });
        expect(mine).toEqual(taken.flatMap(({ who, count }) => (who === 0 ? [alone.take(other(who), count)] : [])));
      }),
    );
  });

  it('are never used twice, and batches are consecutive', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(counts, (batches) => {
        const ids = seeded();
        const ranges = batches.map((count) => ({ from: ids.take(a, count), count }));
        for (const { from, count } of ranges) expect(prefixOf(from)).toBe(prefixOf(from + count - 1));
        const sorted = ranges.toSorted((one, two) => one.from - two.from);
        for (const [i, { from, count }] of sorted.slice(0, -1).entries()) expect(from + count).toBeLessThanOrEqual(sorted[i + 1]!.from);
      }),
    );
  });

  it('get another prefix when one is used up, or too small for a batch', () => {
    const [p, q, r] = [firstPrefix + 5, firstPrefix + 3, firstPrefix + 9];
    const ids = fixed(p, q, r);
    expect(prefixOf(ids.take(a, idsPerPrefix))).toBe(p);
    expect(ids.take(a, 3 * idsPerPrefix + 7)).toBe(q * idsPerPrefix);
    expect(ids.take(a)).toBe(r * idsPerPrefix);
  });

  it('get another prefix after rows of 20,000 other experiments', () => {
    const ids = seeded();
    const [first, used] = [ids.take(other(0)), ids.take(other(1))];
    for (let n = 2; n < 20_001; n++) {
      ids.take(other(n));
      if (n % 9_000 === 0) ids.take(other(1));
    }
    expect(ids.take(other(1))).toBe(used + 3);
    expect(prefixOf(ids.take(other(0)))).not.toBe(prefixOf(first));
  });

  it('are retried with another prefix while they are taken, a bounded number of times', async () => {
    const [p, q] = [firstPrefix, firstPrefix + 1];
    const ids = fixed(p, p, q);
    const insert = () => {
      const id = ids.take(a);
      return Promise.resolve(prefixOf(id) === p ? undefined : id);
    };
    expect(await retryIds(ids, a, insert)).toBe(q * idsPerPrefix);
    expect(await retryIds(ids, a, insert)).toBe(q * idsPerPrefix + 1);
    let attempts = 0;
    const never = () => Promise.resolve(void attempts++);
    await expect(retryIds(ids, a, never)).rejects.toThrow('no free ids after 5 attempts');
    expect(attempts).toBe(5);
  });
});
