import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLines, searchLines } from './read-lines.ts';

const wide = { linesBefore: 0, from: 1, maxLines: 1e9, maxLineBytes: 1e9, maxBytes: 1e9, maxReadBytes: 1e9 };

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    yield bytes.subarray(at, at + sizes[i % sizes.length]!);
    at += sizes[i % sizes.length]!;
  }
}
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
const lines = fc.array(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
  { maxLength: 30 },
);

it('reads the lines from a position on, however the bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.boolean(), sizes, fc.nat(20), fc.integer({ min: 1, max: 10 }), async (texts, ended, pieces, before, max) => {
      const all = ended ? texts : [...texts, 'x'];
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join('') + (ended ? '' : 'x'));
      const from = before + 1 + Math.floor(texts.length / 2);
      const { content, next } = await readLines(cut(bytes, pieces), { ...wide, linesBefore: before, from, maxLines: max });
      const expected = all.map((text, i) => ({ line: before + 1 + i, text, cut: false })).filter(({ line }) => line >= from);
      expect(content).toEqual(expected.slice(0, max));
      if (expected.length > max) expect(next).toBe(from + max);
      else if (expected.length < max) expect(next).toBeNull();
    }),
  );
});

it('cuts long lines between characters, and continues with the next line', async () => {
  const bytes = Buffer.from(`${'ä'.repeat(50)}\r\nshort\r\n`);
  const { content } = await readLines(cut(bytes, [7]), { ...wide, maxLineBytes: 9 });
  expect(content).toEqual([
    { line: 1, text: 'ääää', cut: true },
    { line: 2, text: 'short', cut: false },
  ]);
});

it('returns the beginning of a line that does not end within what is read', async () => {
  const bytes = Buffer.alloc(1_000, 'x');
  const part = await readLines(cut(bytes, [100]), { ...wide, maxLineBytes: 10, maxReadBytes: 300 });
  expect(part).toEqual({ content: [{ line: 1, text: 'xxxxxxxxxx', cut: true }], next: 2 });
});

it('returns fewer lines than requested if they are many bytes, at least one, and says where to go on', async () => {
  const bytes = Buffer.from('aaaa\nbbbb\ncccc\n');
  expect(await readLines(cut(bytes, [3]), { ...wide, maxBytes: 5 })).toMatchObject({ content: [{ line: 1 }, { line: 2 }], next: 3 });
  expect(await readLines(cut(bytes, [3]), { ...wide, maxBytes: 1 })).toMatchObject({ content: [{ line: 1 }], next: 2 });
});

it('finds exactly the lines with a text, in any case, page by page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.stringMatching(/^[abAB ]{0,8}$/), { maxLength: 40 }),
      sizes,
      fc.integer({ min: 1, max: 5 }),
      async (texts, pieces, max) => {
        const bytes = Buffer.from(texts.join('\n'));
        const found: number[] = [];
        for (let from = 1; ;) {
          const { content, next } = await searchLines(cut(bytes, pieces), 'aB', { ...wide, from, maxLines: max });
          found.push(...content.map(({ line }) => line));
          if (next === null) break;
          from = next;
        }
        expect(found).toEqual(texts.flatMap((text, i) => (text.toLowerCase().includes('ab') ? [i + 1] : [])));
      },
    ),
  );
});

it('finds a text across the parts of a line of megabytes', async () => {
  const bytes = Buffer.concat([
    Buffer.alloc(1024 * 1024 - 3, 'x'),
    Buffer.from('needle'),
    Buffer.alloc(1024 * 1024, 'y'),
    Buffer.from('\nneedle\n'),
  ]);
  const { content, next } = await searchLines(cut(bytes, [300_000]), 'NEEDLE', { ...wide, maxLineBytes: 8 });
  expect([content.map(({ line }) => line), next]).toEqual([[1, 2], null]);
  expect(content.every(({ text }) => text.length <= 8)).toBe(true);
});

it('stops after so many bytes, and says where to go on', async () => {
  const bytes = Buffer.from('no match here\n'.repeat(400_000));
  const { content, next } = await searchLines(cut(bytes, [65_536]), 'needle', { ...wide, maxBytes: 1_000_000 });
  expect(content).toEqual([]);
  expect(next).toBeGreaterThan(71_000);
  expect(next).toBeLessThan(160_000);
});
