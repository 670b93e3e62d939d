import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markSession } from './mark-session.ts';
import { markSessions } from './mark-sessions.ts';
import { compareWriters, writerOrder, type WriterFile } from './writers.ts';

const marksOf = (...steps: number[]): number[] => [...markSession(BigInt64Array.from(steps, BigInt))];

describe('out-of-order steps of one file', () => {
  it.each([
    ['rising', [0, 1, 2], [0, 0, 0]],
    ['asynchronous logging', [0, 2, 1, 4, 3, 6, 5], [0, 0, 0, 0, 0, 0, 0]],
    ['alternating phases without a common step', [0, 10, 20, 5, 15, 25], [0, 0, 0, 0, 0, 0]],
    ['an older step that is evaluated again', [0, 1, 2, 3, 1, 4], [0, 1, 0, 0, 0, 0]],
    ['each step logged twice', [0, 0, 1, 1, 2, 2], [1, 0, 1, 0, 1, 0]],
    ['a loop that runs twice', [0, 1, 2, 0, 1, 2], [1, 1, 1, 0, 0, 0]],
    ['a loop that runs again and stops earlier', [0, 1, 2, 3, 0, 1], [1, 1, 1, 1, 0, 0]],
    ['a restart from a checkpoint', [0, 1, 2, 3, 4, 2, 3], [0, 0, 1, 1, 1, 0, 0]],
    ['a restart between two logged steps', [0, 10, 20, 30, 15, 20, 30], [0, 0, 1, 1, 0, 0, 0]],
    ['a restart at another offset, without a common step', [0, 10, 20, 5, 15, 25], [0, 0, 0, 0, 0, 0]],
    ['two restarts, the second one further back', [0, 1, 2, 3, 2, 3, 1, 2], [0, 1, 1, 1, 1, 1, 0, 0]],
  ])('%s', (_, steps, expected) => {
    expect(marksOf(...steps)).toEqual(expected);
  });

  it('follows the written rule', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (log) => {
        expect(marksOf(...log)).toEqual(naiveSession(log.map(BigInt)).map(Number));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('files of one run', () => {
  const time = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) }, { weight: 1, arbitrary: fc.constant(null) });
  const session = fc.record({
    start: fc.option(fc.integer({ min: 0, max: 10 }), { nil: null }),
    steps: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 8 }),
  });
  const file = fc.record({
    from: time,
    length: fc.integer({ min: 0, max: 4 }),
    sessions: fc.array(session, { minLength: 1, maxLength: 3 }),
  });

  it('supersede each other as the rule is written, by their times alone', () => {
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 6 }), (drawn) => {
        const files = drawn
          .map((entry, i) => ({
            ...entry,
            fileId: String(i + 1),
            name: `f${(i * 7) % 5}`,
            version: 1,
            firstWallTime: entry.from,
            lastWallTime: entry.from === null ? null : entry.from + entry.length,
          }))
          .sort(compareWriters);
        const order = writerOrder(files);
        const sessions = files.flatMap((entry, fileRank) =>
          entry.sessions.map(({ steps }, i) => ({ fileRank, afterOffset: i * 100, steps: BigInt64Array.from(steps, BigInt) })),
        );
        const cuts = files.flatMap((entry, fileRank) =>
          entry.sessions.flatMap(({ start }, i) => (start === null || i === 0 ? [] : [{ fileRank, offset: i * 100, step: BigInt(start) }])),
        );
        const marks = markSessions(sessions, cuts, order);
        const expected = sessions.map((own) => {
          const inside = naiveSession([...own.steps]);
          const later = (rank: number, offset: number): boolean =>
            rank === own.fileRank ? offset > own.afterOffset : isAfter(files, rank, own.fileRank);
          return [...own.steps].map(
            (step, i) =>
              inside[i]! ||
              sessions.some((other) => later(other.fileRank, other.afterOffset) && [...other.steps].some((s) => s <= step)) ||
              cuts.some((cut) => later(cut.fileRank, cut.offset) && cut.step <= step),
          );
        });
        expect(marks.map((mask) => [...mask])).toEqual(expected.map((mask) => mask.map(Number)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are put in few lanes without overlap', () => {
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 9 }), (drawn) => {
        const files = drawn
          .map((entry, i) => ({
            fileId: String(i + 1),
            name: `f${i}`,
            version: 1,
            firstWallTime: entry.from,
            lastWallTime: entry.from === null ? null : entry.from + entry.length,
          }))
          .sort(compareWriters);
        const order = writerOrder(files);
        for (let a = 0; a < files.length; a++) {
          for (let b = 0; b < a; b++) if (order.lane(a) === order.lane(b)) expect(isAfter(files, a, b)).toBe(true);
          // A lane above 0 is opened only if files in all lower lanes overlap it.
          const beside = new Set(files.slice(0, a).flatMap((_, b) => (isAfter(files, a, b) ? [] : [order.lane(b)])));
          for (let lane = 0; lane < order.lane(a); lane++) expect(beside.has(lane)).toBe(true);
        }
        const other = writerOrder(files.toReversed().sort(compareWriters));
        expect(files.map((_, rank) => other.lane(rank))).toEqual(files.map((_, rank) => order.lane(rank)));
      }),
    );
  });
});

/** Whether a file started after another file's last event, taken literally. */
function isAfter(files: readonly WriterFile[], b: number, a: number): boolean {
  const [fileA, fileB] = [files[a]!, files[b]!];
  if (fileA.lastWallTime === null) return fileB.firstWallTime !== null || b > a;
  return fileB.firstWallTime !== null && fileB.firstWallTime > fileA.lastWallTime;
}

/** The rule inside a session, step by step over the points effective so far. */
function naiveSession(steps: readonly bigint[]): boolean[] {
  let effective: { step: bigint; place: number }[] = [];
  let begin = 0;
  let again = 0;
  steps.forEach((step, place) => {
    if (place > 0 && step <= steps[place - 1]!) {
      begin = place;
      again = 0;
    }
    if (effective.some((point) => point.step === step)) again++;
    effective = effective.filter((point) => point.step !== step);
    if (again === 2) effective = effective.filter((point) => point.place >= begin || point.step < steps[begin]!);
    effective.push({ step, place });
  });
  return steps.map((_, place) => !effective.some((point) => point.place === place));
}
