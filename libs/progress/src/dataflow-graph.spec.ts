import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GraphBuilder, GraphFault } from './dataflow-graph.ts';
import { type Action, applySummary, identity, type PathSummary, summaryLessEqual, through } from './path-summary.ts';
import { anyGraph, anyTime } from './testing/random-graph.ts';
import { ReferenceTracker } from './testing/reference.ts';
import { runs } from './testing/runs.ts';
import { lessEqual, timestamp } from './timestamp.ts';

describe('path summaries', () => {
  it('relate two pointstamps like a walk of the graph', () => {
    const cases = anyGraph.chain((graphCase) => {
      const { locations } = graphCase.graph;
      const location = fc.integer({ min: 0, max: locations.length - 1 });
      const point = location.chain((id) => anyTime(locations[id]!.depth).map((time) => ({ location: id, time })));
      return fc.tuple(fc.constant(graphCase), fc.array(fc.tuple(point, point), { minLength: 5, maxLength: 20 }));
    });
    fc.assert(
      fc.property(cases, ([graphCase, pairs]) => {
        const reference = new ReferenceTracker(graphCase);
        for (const [from, to] of pairs) {
          expect(graphCase.graph.couldResultIn(from.time, from.location, to.time, to.location)).toBe(reference.couldResultIn(from, to));
        }
      }),
      { numRuns: runs },
    );
  });

  it('order could-result-in: two different pointstamps never could result in each other', () => {
    const cases = anyGraph.chain((graphCase) =>
      fc
        .tuple(fc.constant(graphCase), fc.constantFrom(...graphCase.graph.locations), fc.constantFrom(...graphCase.graph.locations))
        .chain(([g, a, b]) => fc.tuple(fc.constant(g), fc.constant(a.id), anyTime(a.depth), fc.constant(b.id), anyTime(b.depth))),
    );
    fc.assert(
      fc.property(cases, ([{ graph }, a, s, b, t]) => {
        if (a === b && JSON.stringify(s) === JSON.stringify(t)) expect(graph.couldResultIn(s, a, t, b)).toBe(true);
        else expect(graph.couldResultIn(s, a, t, b) && graph.couldResultIn(t, b, s, a)).toBe(false);
      }),
      { numRuns: runs },
    );
  });

  it('are ordered exactly if their results are, for every time', () => {
    const action = fc.constantFrom<Action>('ingress', 'egress', 'feedback');
    const pathFrom = (depth: number) =>
      fc
        .array(action, { maxLength: 8 })
        .map((actions) =>
          actions.reduce(
            (summary, next) => (next === 'ingress' || summary.keep + summary.append.length > 0 ? through(summary, next) : summary),
            identity(depth),
          ),
        );
    const cases = fc.integer({ min: 0, max: 2 }).chain((depth) => fc.tuple(pathFrom(depth), pathFrom(depth), fc.constant(timesOf(depth))));
    fc.assert(
      fc.property(cases, ([a, b, times]) => {
        fc.pre(lengthOf(a) === lengthOf(b));
        expect(summaryLessEqual(a, b)).toBe(times.every((time) => lessEqual(applySummary(a, time), applySummary(b, time))));
      }),
      { numRuns: runs },
    );
  });
});

describe('a graph', () => {
  it('rejects a cycle without feedback', () => {
    const build = new GraphBuilder();
    const [a, b] = [build.vertex('a'), build.vertex('b')];
    build.edge(a, b);
    build.edge(b, a);
    expect(() => build.build()).toThrow(GraphFault);
  });

  it('rejects a path that leaves a loop and enters it again without a loop around both', () => {
    const build = new GraphBuilder();
    const enter = build.vertex('enter', { action: 'ingress' });
    const inside = build.vertex('inside', { depth: 1 });
    const leave = build.vertex('leave', { action: 'egress', depth: 1 });
    build.edge(enter, inside);
    build.edge(inside, leave);
    build.edge(leave, enter);
    expect(() => build.build()).toThrow('no feedback');
  });

  it('rejects an edge between locations in different loops', () => {
    const build = new GraphBuilder();
    const outside = build.vertex('outside');
    const inside = build.vertex('inside', { depth: 1 });
    expect(() => build.edge(outside, inside)).toThrow('0 loops at its beginning, 1 at its end');
  });
});

function lengthOf(summary: PathSummary): number {
  return summary.keep + summary.append.length;
}

/** Times with counters up to 9, which is more than a path with 8 vertices can add. */
function timesOf(depth: number) {
  if (depth === 0) return [timestamp(0)];
  const outer = Array.from({ length: 10 }, (_, counter) => [counter]);
  return (depth === 1 ? outer : outer.flatMap(([first]) => outer.map(([second]) => [first!, second!]))).map((counters) =>
    timestamp(0, ...counters),
  );
}
