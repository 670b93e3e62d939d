import { expect, it } from 'vitest';
import fc from 'fast-check';
import type { LogEntry } from '#store';
import { LogIndexer } from './index-log.ts';

const nothing = { lines: 0, lineStart: 0, entry: null };

it('has entries with the number of line feeds before them, however the bytes are split', () => {
  const chunk = fc.record({ length: fc.integer({ min: 1, max: 90_000 }), every: fc.integer({ min: 1, max: 30_000 }) });
  fc.assert(
    fc.property(
      fc.array(chunk, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 }),
      (chunks, cuts) => {
        const bytes = Buffer.concat(
          chunks.map(({ length, every }) => Buffer.from(Array.from({ length }, (_, i) => (i % every === 0 ? 10 : 120)))),
        );
        const feeds = (end: number): number => bytes.subarray(0, end).filter((byte) => byte === 10).length;
        let indexer = new LogIndexer(0, nothing);
        const entries: LogEntry[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const piece = bytes.subarray(at, at + cuts[turn % cuts.length]!);
          indexer.push(piece);
          at += piece.length;
          entries.push(...indexer.entries);
          const last = entries.at(-1)!;
          // Each transaction continues from the state that the previous one stored.
          indexer = new LogIndexer(indexer.offset, { lines: indexer.lines, lineStart: indexer.lineStart, entry: last });
        }
        expect(entries[0]).toEqual({ offset: 0, lines: 0 });
        for (const { offset, lines } of entries) expect(lines).toBe(feeds(offset));
        entries.slice(1).forEach(({ offset }, i) => expect(offset - entries[i]!.offset).toBe(64 * 1024));
        expect([indexer.offset, indexer.lines, indexer.lineStart]).toEqual([bytes.length, feeds(bytes.length), bytes.lastIndexOf(10) + 1]);
      },
    ),
    { numRuns: 50 },
  );
});
