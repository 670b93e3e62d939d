import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupTags } from './tag-groups.ts';
import { nestTags } from './tag-tree.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const nest = (name: string, tags: readonly string[]) =>
  nestTags({ name, tags }).map(({ path, depth, tags: own, total }) => `${'  '.repeat(depth)}${path}: ${own.length} of ${total}`);

it('divides a large group by the parts of its tags', () => {
  const tags = numbers(12).flatMap((i) => [`layers/${i}/mlp/up`, `layers/${i}/mlp/down`, `layers/${i}/norm`]);
  expect(nest('layers', [...tags, 'layers/mean'])).toEqual(['layers: 1 of 37', ...numbers(12).map((i) => `  layers/${i}: 3 of 3`)]);
  const deep = numbers(2).flatMap((i) => numbers(15).flatMap((j) => [`m/${i}/${j}/w`, `m/${i}/${j}/b`]));
  expect(nest('m', deep).slice(0, 3)).toEqual(['m: 0 of 60', '  m/0: 0 of 30', '    m/0/0: 2 of 2']);
});

it('leaves small groups whole, and makes no group of one tag, or of a part that all share', () => {
  expect(nest('a', ['a/x/1', 'a/x/2', 'a/y/1'])).toEqual(['a: 3 of 3']);
  expect(
    nest(
      'a',
      numbers(30).map((i) => `a/${i}/norm`),
    ),
  ).toEqual(['a: 30 of 30']);
  const shared = numbers(30).map((i) => `a/b/c/${i % 2}/${i}`);
  expect(nest('a', shared)).toEqual(['a: 0 of 30', '  a/b/c/0: 15 of 15', '  a/b/c/1: 15 of 15']);
  expect(
    nest(
      '',
      numbers(30).map((i) => `x${i}`),
    ),
  ).toEqual([': 30 of 30']);
});

it('has each tag once, in its order, for any names', () => {
  const names = fc.array(fc.array(fc.constantFrom('a', 'b', '', '1', '10', '<b>', 'é'), { minLength: 1, maxLength: 5 }), {
    maxLength: 120,
  });
  fc.assert(
    fc.property(names, (parts) => {
      const tags = [...new Set(parts.map((list) => list.join('/')))];
      const nodes = groupTags(tags).flatMap(nestTags);
      expect(nodes.flatMap((node) => node.tags).toSorted()).toEqual(tags.toSorted());
      expect(new Set(nodes.map(({ path }) => path)).size).toBe(nodes.length);
      for (const group of groupTags(tags)) {
        const [top, ...rest] = nestTags(group);
        expect(top).toMatchObject({ path: group.name, depth: 0, total: group.tags.length });
        for (const node of rest) {
          expect(node.tags.every((tag) => tag.startsWith(`${node.path}/`))).toBe(true);
          expect(node.tags).toEqual(group.tags.filter((tag) => node.tags.includes(tag)));
        }
      }
    }),
  );
});
