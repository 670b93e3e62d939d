import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changesOf, type ComparedLine, type TextChanges } from './text-changes.ts';

/** As shown on the page: a sign, and changed words in brackets. */
function drawn(changes: TextChanges | null): string[] {
  const signs = { same: ' ', added: '+', removed: '-' };
  return changes!.lines.map((line) =>
    line.kind === 'gap'
      ? `… ${line.lines.length}`
      : signs[line.kind] + line.parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''),
  );
}

/** All lines, including those in gaps. */
function whole({ lines }: TextChanges): readonly ComparedLine[] {
  return lines.flatMap((line) => (line.kind === 'gap' ? line.lines : [line]));
}

it('marks lines, and the words in them that differ', () => {
  const changes = changesOf('lr: 0.1\nopt: adam\nseed: 1', 'lr: 0.3\nopt: adam\nseed: 1\nwarmup: 5\n');
  expect(drawn(changes)).toEqual(['-lr: 0.[1]', '+lr: 0.[3]', ' opt: adam', ' seed: 1', '+warmup: 5']);
  expect(changes).toMatchObject({ added: 2, removed: 1 });
});

it('has gaps of equal lines far from a change', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const after = before.with(10, 'other');
  const found = changesOf(before.join('\n'), after.join('\n'));
  const changes = drawn(found);
  expect(changes[0]).toBe('… 7');
  expect(changes.at(-1)).toBe('… 6');
  expect(changes).toHaveLength(1 + 3 + 2 + 3 + 1);
  expect(whole(found!)).toHaveLength(21);
});

it('finds no change in equal texts; a line feed at the end is none', () => {
  expect(changesOf('a\nb', 'a\nb\n')).toMatchObject({ added: 0, removed: 0 });
  expect(changesOf('', '')).toEqual({ lines: [], added: 0, removed: 0 });
});

it('gives up on texts that have nothing in common and are long', () => {
  const lines = (name: string) => Array.from({ length: 5_000 }, (_, i) => `${name} ${i}`).join('\n');
  expect(changesOf(lines('a'), lines('b'))).toBeNull();
});

it('contains both texts', () => {
  const texts = fc.array(fc.constantFrom('a', 'b b', 'c d e', '', '<i>', '\t', 'é'), { maxLength: 12 }).map((lines) => lines.join('\n'));
  const lines = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`).split('\n').slice(0, -1);
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const changes = changesOf(before, after)!;
      const of = (kind: 'added' | 'removed') =>
        whole(changes).flatMap((line) => (line.kind === 'same' || line.kind === kind ? [line.parts.map(({ text }) => text).join('')] : []));
      expect(of('removed')).toEqual(lines(before));
      expect(of('added')).toEqual(lines(after));
      expect(changes.lines.filter(({ kind }) => kind === 'added')).toHaveLength(changes.added);
      expect(changes.lines.filter(({ kind }) => kind === 'removed')).toHaveLength(changes.removed);
    }),
  );
});
