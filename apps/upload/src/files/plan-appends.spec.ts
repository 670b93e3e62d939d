import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '#model';
import { type FileState, joinTouching, type KnownRange, maxKeptRanges, planAppends, type Range } from './plan-appends.ts';

const content = Buffer.from(Array.from({ length: 64 }, (_, i) => i));
const range = (start: number, end: number, bytes = content): Range => ({
  offset: start,
  length: end - start,
  crc32c: crc32c(bytes.subarray(start, end)),
});
const empty: FileState = { durableOffset: 0, crc32c: 0, originalEnd: 0, known: [] };
const kinds = (file: FileState, asked: Range[]) => planAppends(file, asked).verdicts.map(({ kind }) => kind);

/** The ledger as a list, used to replay plans. */
class Ledger {
  state: FileState = empty;

  apply(asked: Range[], epoch: number): void {
    const plan = planAppends(this.state, asked);
    const added = asked.filter((_, i) => plan.verdicts[i]!.kind === 'new').map((r): KnownRange => ({ ...r, epoch: null }));
    const known = [...this.state.known, ...added].map((r): KnownRange =>
      r.epoch === null && r.offset < plan.durableOffset ? { ...r, epoch } : r,
    );
    this.state = { ...this.state, durableOffset: plan.durableOffset, crc32c: plan.crc32c, known };
  }
}

describe('planAppends', () => {
  it('extends the prefix over adjacent ranges, in one batch or in many, with the checksum of its bytes', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 63 }), { maxLength: 12 }).map((at) => [0, ...at.toSorted((a, b) => a - b), 64]);
    fc.assert(
      fc.property(cuts, fc.infiniteStream(fc.nat(1_000)), fc.integer({ min: 1, max: 5 }), (points, random, batchSize) => {
        const ranges = points.slice(1).map((end, i) => range(points[i]!, end));
        const shuffled = ranges
          .map((r) => [random.next().value, r] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, r]) => r);
        const ledger = new Ledger();
        for (let at = 0, epoch = 1; at < shuffled.length; at += batchSize, epoch++) {
          const before = ledger.state.durableOffset;
          ledger.apply(shuffled.slice(at, at + batchSize), epoch);
          const { durableOffset, crc32c: crc, known } = ledger.state;
          expect(durableOffset).toBeGreaterThanOrEqual(before);
          expect(crc).toBe(crc32c(content.subarray(0, durableOffset)));
          // Only ranges in the prefix have epochs, and epochs rise along the prefix.
          const epochs = known.toSorted((a, b) => a.offset - b.offset).map((r) => ({ inside: r.offset < durableOffset, epoch: r.epoch }));
          for (const r of epochs) expect(r.epoch !== null).toBe(r.inside);
          const rising = epochs.filter((r) => r.inside).map((r) => r.epoch!);
          expect(rising).toEqual(rising.toSorted((a, b) => a - b));
        }
        expect(ledger.state.durableOffset).toBe(64);
      }),
    );
  });

  it('never accepts two ranges that share a byte', () => {
    const any = fc.tuple(fc.nat(63), fc.integer({ min: 1, max: 64 })).map(([start, length]) => range(start, Math.min(start + length, 64)));
    fc.assert(
      fc.property(fc.array(fc.array(any, { maxLength: 5 }), { maxLength: 8 }), (batches) => {
        const ledger = new Ledger();
        batches.forEach((batch, epoch) => ledger.apply(batch, epoch + 1));
        const sorted = ledger.state.known.toSorted((a, b) => a.offset - b.offset);
        sorted.forEach((r, i) => expect(r.offset).toBeGreaterThanOrEqual(i === 0 ? 0 : sorted[i - 1]!.offset + sorted[i - 1]!.length));
      }),
    );
  });

  it('recognizes a repeated range, also within a batch', () => {
    const plan = planAppends(empty, [range(0, 10), range(0, 10), range(20, 30), range(20, 30)]);
    expect(plan.verdicts.map(({ kind }) => kind)).toEqual(['new', 'same', 'new', 'same']);
    const known = [{ ...range(0, 10), epoch: 7 }];
    expect(planAppends({ ...empty, durableOffset: 10, known }, [range(0, 10)]).verdicts).toEqual([{ kind: 'same', epoch: 7 }]);
  });

  it('rejects other bytes at the same offset', () => {
    const other = Buffer.alloc(64, 9);
    expect(kinds(empty, [range(0, 10), range(0, 10, other), range(9, 12), range(0, 9)])).toEqual([
      'new',
      'conflict',
      'conflict',
      'conflict',
    ]);
  });

  it('accepts as a repeat only the same offset, length and checksum', () => {
    const known = [{ ...range(10, 20), epoch: null }];
    const { crc32c: sum } = range(10, 20);
    const asked = [
      { offset: 10, length: 10, crc32c: sum },
      { offset: 9, length: 10, crc32c: sum },
      { offset: 11, length: 10, crc32c: sum },
      { offset: 10, length: 9, crc32c: sum },
      { offset: 10, length: 10, crc32c: sum + 1 },
    ];
    expect(kinds({ ...empty, known }, asked)).toEqual(['same', 'conflict', 'conflict', 'conflict', 'conflict']);
  });

  it('returns the known ranges that the prefix reaches, and extends it over them', () => {
    const before = { ...range(0, 10), epoch: 1 };
    const known = [20, 40, 50].map((start): KnownRange => ({ ...range(start, start + 10), epoch: null }));
    const file = { ...empty, durableOffset: 10, crc32c: before.crc32c, known: [known[2]!, before, known[0]!, known[1]!] };
    expect(planAppends(file, [range(10, 20)])).toEqual({
      verdicts: [{ kind: 'new' }],
      reached: [known[0]],
      durableOffset: 30,
      crc32c: range(0, 30).crc32c,
      kept: [{ offset: 40, length: 20 }],
    });
  });

  it('reports when only the bytes of a joined original can decide', () => {
    const file = { ...empty, durableOffset: 40, originalEnd: 40 };
    expect(kinds(file, [range(0, 40), range(5, 6), range(39, 41), range(40, 41)])).toEqual([
      'in-original',
      'in-original',
      'conflict',
      'new',
    ]);
  });

  it('reports the same for a part of a longer segment of the prefix, which may have been joined', () => {
    const file = {
      ...empty,
      durableOffset: 40,
      known: [
        { ...range(10, 40), epoch: 3 },
        { ...range(50, 60), epoch: null },
      ],
    };
    const asked = [range(10, 20), range(20, 40), range(12, 13), range(10, 40), range(9, 20), range(30, 41), range(51, 60)];
    expect(kinds(file, asked)).toEqual(['in-original', 'in-original', 'in-original', 'same', 'conflict', 'conflict', 'conflict']);
    const other = { ...range(10, 40), crc32c: 1 };
    expect(kinds(file, [other])).toEqual(['conflict']);
  });

  it('keeps a bounded number of ranges within the window, and always accepts the missing one', () => {
    const far = { offset: limits.uploadWindowBytes, length: 1, crc32c: 0 };
    expect(kinds(empty, [far, { ...far, offset: far.offset + 1 }])).toEqual(['new', 'beyond-window']);
    const known = Array.from({ length: maxKeptRanges }, (_, i): KnownRange => ({ offset: 10 + 2 * i, length: 1, crc32c: 0, epoch: null }));
    expect(kinds({ ...empty, known }, [{ offset: 9, length: 1, crc32c: 0 }, range(0, 5)])).toEqual(['beyond-window', 'new']);
  });
});

describe('joinTouching', () => {
  it('joins adjacent ranges', () => {
    const at = (offset: number, length: number) => ({ offset, length });
    expect(joinTouching([at(0, 5), at(5, 1), at(7, 2), at(9, 1), at(20, 1)])).toEqual([at(0, 6), at(7, 3), at(20, 1)]);
  });
});
