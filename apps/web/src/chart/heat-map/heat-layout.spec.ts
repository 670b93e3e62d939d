import { expect, it } from 'vitest';
import { layOutHeat } from './heat-layout.ts';

const tags = Array.from({ length: 40 }, (_, i) => `layers.${i}/grad_norm`);

it('gives the rows all of the element but the axis and their names', () => {
  const { box, rowHeight, right } = layOutHeat(tags, { width: 600, height: 428 });
  expect(box.left + box.width + right).toBe(600);
  expect([box.top, box.height]).toEqual([4, 400]);
  expect(rowHeight).toBe(10);
});

it('names rows by what distinguishes them, shorter where there is less space', () => {
  expect(layOutHeat(tags, { width: 600, height: 400 }).names.slice(0, 3)).toEqual(['0', '1', '2']);
  const long = ['a', 'b'].map((name) => `${name.repeat(40)}/norm`);
  const [wide, narrow] = [1_000, 400].map((width) => layOutHeat(long, { width, height: 400 }));
  expect(wide!.names[0]!.length).toBeGreaterThan(narrow!.names[0]!.length);
  expect(wide!.box.left).toBeGreaterThan(narrow!.box.left);
});

it('names as many rows as have space', () => {
  expect(layOutHeat(tags, { width: 600, height: 28 + 40 * 13 }).rowsPerName).toBe(1);
  expect(layOutHeat(tags, { width: 600, height: 28 + 40 * 5 }).rowsPerName).toBe(3);
});

it('has no size until that of its element is known', () => {
  expect(layOutHeat(tags, { width: 0, height: 0 })).toMatchObject({ box: { width: 0, height: 0 }, rowsPerName: 1 });
});
