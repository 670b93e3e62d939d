import { describe, expect, it } from 'vitest';
import { payloads } from '../../../../test/web/payloads.ts';
import { pointColumn, pointColumnOf, pointField, pointStepColumn, readStep } from './point-columns.ts';

describe('a column of values at a step', () => {
  it('is read from its key, whatever its tags are', () => {
    for (const tag of ['loss', 'a:1:b', '', '[]', '"', ...payloads.slice(0, 40)]) {
      for (const place of [{ step: '-7' }, { step: '9223372036854775807' }, { extreme: 'min', tag: `${tag}"\\,` }] as const) {
        const column = pointColumn(tag, place);
        const tags = new Set([tag, `${tag}"\\,`]);
        expect(pointColumnOf(column.key, tags)).toEqual(column);
        expect(pointField(column.key)).toBe(column.field);
        expect(pointColumnOf(column.key, new Set(['another']))).toBeNull();
      }
    }
  });

  it('has the field of its value and of its step', () => {
    expect(pointColumn('val/acc', { step: '100' })).toMatchObject({ name: 'val/acc (at step 100)', field: 'value_at("val/acc", 100)' });
    const column = pointColumn('a"b', { extreme: 'max', tag: 'c' });
    expect(column).toMatchObject({ name: 'a"b (at max of c)', field: String.raw`value_at_max("a\"b", "c")` });
    expect(pointStepColumn(column)).toMatchObject({ kind: 'count', field: String.raw`step_at_max("a\"b", "c")` });
  });

  it.each(['m:loss', 'at:1.5:loss', 'at:9223372036854775808:loss', 'at_min:["a"]', 'at_min:[1,2]', 'at_min:["a","b"', 'min:at:1:x'])(
    'is not read from %s',
    (key) => {
      expect(pointField(key)).toBeNull();
    },
  );

  it.each([
    ['1,000', '1000'],
    [' 007 ', '7'],
    ['−3', '-3'],
    ['1e3', null],
    ['', null],
    ['9223372036854775808', null],
  ])('reads the step %j', (text, step) => {
    expect(readStep(text)).toBe(step);
  });
});
