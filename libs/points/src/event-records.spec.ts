import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventRecords } from './event-records.ts';

it('values of one tag are the same bytes together and one by one', () => {
  const step = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
  const value = fc.oneof(fc.float(), fc.double(), fc.constantFrom(-0, NaN, Infinity));
  const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 10 }), fc.string({ minLength: 120, maxLength: 140 }));
  fc.assert(
    fc.property(
      name,
      fc.array(fc.tuple(step, fc.double(), value)),
      fc.option(fc.uint8Array({ maxLength: 20 })),
      fc.nat(64),
      (text, rows, metadata, capacity) => {
        const tag = Buffer.from(text);
        const steps = BigInt64Array.from(rows, ([one]) => one);
        const wallTimes = Float64Array.from(rows, ([, one]) => one);
        const values = Float64Array.from(rows, ([, , one]) => one);
        const [together, apart] = [new EventRecords(capacity), new EventRecords()];
        for (const records of [together, apart]) records.version(1);
        together.scalars(tag, { steps, wallTimes, values }, metadata);
        for (const [i, one] of steps.entries())
          apart.scalar({ tag, step: one, wallTime: wallTimes[i]!, metadata: i === 0 ? metadata : null }, values[i]!);
        expect(together.finish().equals(apart.finish())).toBe(true);
      },
    ),
  );
});
