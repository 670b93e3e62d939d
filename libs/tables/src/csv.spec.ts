import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvHead, csvLines } from './csv.ts';

describe('csvLines', () => {
  it('keeps every number exactly, including -0 and the infinities', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.double(), fc.double(), (step, wallTime, value) => {
        const line = csvLines({
          run: 'r',
          tag: 't',
          writer: 0,
          steps: BigInt64Array.of(step),
          wallTimes: Float64Array.of(wallTime),
          values: Float64Array.of(value),
          superseded: null,
        });
        const cells = line.trimEnd().split(',');
        expect(BigInt(cells[2] ?? '')).toBe(step);
        expect(Object.is(Number(cells[3]), wallTime)).toBe(true);
        expect(Object.is(Number(cells[4]), value)).toBe(true);
      }),
    );
  });

  it('marks names that a spreadsheet would run as formulas, on request, and nothing else', () => {
    const line = (run: string, guard?: boolean): string =>
      csvLines(
        {
          run,
          tag: run,
          writer: 0,
          steps: BigInt64Array.of(-1n),
          wallTimes: Float64Array.of(2),
          values: Float64Array.of(-3),
          superseded: null,
        },
        { guard: guard ?? false },
      );
    for (const name of ['=1+1', '+1', '-1', '@SUM(1)', '\t=1']) {
      expect(line(name, true)).toBe(`'${name},'${name},-1,2.0,-3.0\n`);
      expect(line(name)).toBe(`${name},${name},-1,2.0,-3.0\n`);
    }
    expect(line('=cmd|"x",1', true)).toBe(`"'=cmd|""x"",1","'=cmd|""x"",1",-1,2.0,-3.0\n`);
    expect(line('a=1', true)).toBe('a=1,a=1,-1,2.0,-3.0\n');
  });

  it('has a column for writers if the reader shows each of them', () => {
    const part = {
      run: 'r',
      tag: 't',
      writer: 1,
      steps: BigInt64Array.of(3n),
      wallTimes: Float64Array.of(2),
      values: Float64Array.of(1),
      superseded: null,
    };
    expect(csvHead({ superseded: false, writer: true }) + csvLines(part, { writer: true })).toBe(
      'run,tag,writer,step,wall_time,value\nr,t,1,3,2.0,1.0\n',
    );
    expect(csvLines(part)).toBe('r,t,3,2.0,1.0\n');
  });

  it('quotes names (RFC 4180)', () => {
    const line = csvLines({
      run: 'a,b',
      tag: 'say "x"\n',
      writer: 0,
      steps: BigInt64Array.of(1n),
      wallTimes: Float64Array.of(2),
      values: Float64Array.of(-0),
      superseded: [true],
    });
    expect(csvHead({ superseded: true, writer: false }) + line).toBe(
      'run,tag,step,wall_time,value,superseded\n"a,b","say ""x""\n",1,2.0,-0.0,true\n',
    );
  });
});
