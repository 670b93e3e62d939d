import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLines } from './json-lines.ts';

describe('jsonLines', () => {
  it('keeps every number exactly, each in a line of JSON', () => {
    const step = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.string(), step, fc.double(), fc.double(), fc.boolean(), (name, at, wallTime, value, superseded) => {
        const text = jsonLines(
          {
            run: name,
            tag: name,
            writer: 2,
            steps: BigInt64Array.of(at, at),
            wallTimes: Float64Array.of(wallTime, 1),
            values: Float64Array.of(value, -0),
            superseded: [superseded, false],
          },
          { superseded: true, writer: true },
        );
        const lines = text.split('\n');
        expect(lines).toHaveLength(3);
        const found = JSON.parse(lines[0]!) as Record<string, string | number>;
        expect(found).toMatchObject({ run: name, tag: name, writer: 2, superseded });
        expect(BigInt(found['step']!)).toBe(at);
        expect(Object.is(Number(found['wall_time']), wallTime)).toBe(true);
        expect(Object.is(Number(found['value']), value)).toBe(true);
        expect(Object.is((JSON.parse(lines[1]!) as { value: number }).value, -0)).toBe(true);
      }),
    );
  });
});
