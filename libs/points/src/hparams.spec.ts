import { describe, expect, it } from 'vitest';
import { decodeHparams, decodeSessionEnd } from './index.ts';
import { field, message } from './testing/event-bytes.ts';

const entry = (name: string, value: Uint8Array) => field(1, message(field(1, name), field(2, value)));
const start = (...fields: Uint8Array[]) => field(3, message(...fields));

describe('decodeHparams', () => {
  it('parses numbers, texts and booleans, the group and the start', () => {
    const content = start(
      entry('lr', field(2, { double: 0.1 })),
      entry('optimizer', field(3, 'adam')),
      entry('bn', field(4, 1n)),
      entry('dropout', field(4, 0n)),
      entry('none', field(1, 0n)),
      entry('__proto__', field(2, { double: 3 })),
      field(4, 'group 1'),
      field(5, { double: 1.5e9 }),
    );
    const decoded = decodeHparams(content)!;
    expect(Object.entries(decoded.hparams)).toEqual([
      ['lr', 0.1],
      ['optimizer', 'adam'],
      ['bn', true],
      ['dropout', false],
      ['__proto__', 3],
    ]);
    expect(decoded).toMatchObject({ groupName: 'group 1', startTimeSecs: 1.5e9 });
  });

  it('parses an empty session', () => {
    expect(decodeHparams(start())).toEqual({ hparams: {}, groupName: '', startTimeSecs: 0 });
  });

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['an experiment', field(2, field(6, 'name'))],
    ['the end of a session', field(4, field(1, 1n))],
    ['a later version', message(field(1, 1n), start())],
    ['a truncated message', start(field(4, 'group')).subarray(0, 5)],
    ['a name that is not UTF-8', start(field(4, Uint8Array.of(0xff)))],
  ])('is null for %s', (_, content) => {
    expect(decodeHparams(content)).toBeNull();
  });
});

describe('decodeSessionEnd', () => {
  it.each([
    [1n, 'success'],
    [2n, 'failure'],
    [3n, 'running'],
    [9n, 'unknown'],
  ])('parses status %s as %s', (number, status) => {
    expect(decodeSessionEnd(field(4, message(field(1, number), field(2, { double: 7 }))))).toEqual({ status, endTimeSecs: 7 });
  });

  it('is null for anything else', () => {
    expect(decodeSessionEnd(start())).toBeNull();
    expect(decodeSessionEnd(Uint8Array.of(0x22, 9))).toBeNull();
  });
});
