import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Antichain } from './antichain.ts';
import { ProgressTracker } from './progress-tracker.ts';
import { anyDecisions, LegalMoves } from './testing/moves.ts';
import { anyGraph, anyTime } from './testing/random-graph.ts';
import { nameOf, ReferenceTracker } from './testing/reference.ts';
import { runs } from './testing/runs.ts';
import { timestamp } from './timestamp.ts';

describe('a tracker', () => {
  it('computes the frontier that the definition gives, whatever the counts', () => {
    const cases = anyGraph.chain((graphCase) => {
      const change = fc
        .constantFrom(...graphCase.graph.locations)
        .chain(({ id, depth }) => fc.record({ location: fc.constant(id), time: anyTime(depth), diff: fc.constantFrom(-1, 1, 1, 2) }));
      return fc.tuple(fc.constant(graphCase), fc.array(change, { maxLength: 25 }));
    });
    fc.assert(
      fc.property(cases, ([graphCase, changes]) => {
        const tracker = new ProgressTracker(graphCase.graph);
        const reference = new ReferenceTracker(graphCase);
        for (const change of changes) {
          tracker.update(change.location, change.time, change.diff);
          reference.update(change);
          expect(tracker.firsts().map(nameOf).toSorted()).toEqual(reference.firsts().map(nameOf).toSorted());
        }
        for (const { location, time } of changes) {
          expect(tracker.frontier(location).lessEqual(time)).toBe(reference.mayStillCome({ location, time }));
          expect(tracker.isFirst(location, time)).toBe(reference.firsts().some((point) => nameOf(point) === nameOf({ location, time })));
        }
      }),
      { numRuns: runs },
    );
  });

  it('never moves a frontier back under legal moves of the vertices', () => {
    fc.assert(
      fc.property(anyGraph, anyDecisions, (graphCase, decisions) => {
        const moves = new LegalMoves(graphCase);
        const tracker = new ProgressTracker(graphCase.graph, moves.changes());
        const before = new Map<number, Antichain>();
        for (const decision of decisions) {
          if (moves.isOver) break;
          tracker.apply(moves.move(decision));
          for (const { id } of graphCase.graph.locations) {
            const frontier = tracker.frontier(id);
            expect(before.get(id)?.precedes(frontier) ?? true, `${before.get(id)?.toString()} then ${frontier.toString()}`).toBe(true);
            before.set(id, frontier);
          }
        }
        expect(tracker.isComplete).toBe(moves.isOver);
      }),
      { numRuns: runs },
    );
  });

  it('can be saved and restored between any two changes', () => {
    fc.assert(
      fc.property(anyGraph, anyDecisions, (graphCase, decisions) => {
        const moves = new LegalMoves(graphCase);
        let tracker = new ProgressTracker(graphCase.graph, moves.changes());
        for (const decision of decisions) {
          if (moves.isOver) break;
          for (const change of moves.move(decision)) {
            tracker = new ProgressTracker(graphCase.graph, tracker.changes());
            tracker.update(change.location, change.time, change.diff);
          }
        }
        const reference = new ReferenceTracker(graphCase);
        for (const change of moves.changes()) reference.update(change);
        expect(tracker.firsts().map(nameOf).toSorted()).toEqual(reference.firsts().map(nameOf).toSorted());
      }),
      { numRuns: Math.ceil(runs / 5) },
    );
  });

  it('keeps epochs separate: a late epoch does not wait for an earlier one that continues', () => {
    const graphCase = fc.sample(anyGraph, { numRuns: 1, seed: 3 })[0]!;
    const tracker = new ProgressTracker(graphCase.graph);
    for (const epoch of [7, 3, 5, 3]) tracker.update(graphCase.input, timestamp(epoch), 1);
    expect(tracker.frontier(graphCase.input).toString()).toBe('{3}');
    tracker.update(graphCase.input, timestamp(3), -2);
    expect(tracker.frontier(graphCase.input).toString()).toBe('{5}');
    expect(tracker.occurrences(graphCase.input, timestamp(7))).toBe(1);
  });

  it('rejects a time of another location', () => {
    const graphCase = fc.sample(anyGraph, { numRuns: 1, seed: 3 })[0]!;
    const tracker = new ProgressTracker(graphCase.graph, [{ location: graphCase.input, time: timestamp(0), diff: 1 }]);
    expect(() => tracker.update(graphCase.input, timestamp(0, 1), 1)).toThrow(RangeError);
  });
});
