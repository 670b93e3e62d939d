import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangeBatch } from './change-batch.ts';
import { BatchGap, type ProgressBatch, ProgressView } from './progress-view.ts';
import { ProgressTracker } from './progress-tracker.ts';
import { anyDecisions, LegalMoves } from './testing/moves.ts';
import { anyGraph, type GraphCase } from './testing/random-graph.ts';
import { runs } from './testing/runs.ts';
import { timestamp } from './timestamp.ts';

/**
 * Workers that share one system. Each move is made by one worker, which publishes it when it
 * flushes. `truth` counts every change immediately.
 */
class Workers {
  readonly moves: LegalMoves;
  readonly truth: ProgressTracker;
  readonly initial;
  readonly logs: ProgressBatch[][];
  readonly #unsent: ChangeBatch[];

  constructor(graphCase: GraphCase, count: number) {
    this.moves = new LegalMoves(graphCase, count);
    this.initial = this.moves.changes();
    this.truth = new ProgressTracker(graphCase.graph, this.initial);
    this.logs = Array.from({ length: count }, () => []);
    this.#unsent = this.logs.map(() => new ChangeBatch());
  }

  act(worker: number, decision: number): void {
    const changes = this.moves.move(decision, worker);
    this.truth.apply(changes);
    for (const { location, time, diff } of changes) this.#unsent[worker]!.add(location, time, diff);
  }

  flush(worker: number): void {
    const log = this.logs[worker]!;
    if (!this.#unsent[worker]!.isEmpty) log.push({ worker: `w${worker}`, number: log.length + 1, changes: this.#unsent[worker]!.drain() });
  }
}

describe('the view of a worker', () => {
  it('is never ahead of the true frontier and never goes back, in any order of batches and over restarts', () => {
    fc.assert(
      fc.property(anyGraph, anyDecisions, fc.integer({ min: 2, max: 4 }), (graphCase, decisions, count) => {
        const workers = new Workers(graphCase, count);
        let view = new ProgressView(graphCase.graph, { heard: {}, changes: workers.initial });
        let before = graphCase.graph.locations.map(({ id }) => view.frontier(id));
        const look = (): void => {
          const now = graphCase.graph.locations.map(({ id }) => view.frontier(id));
          now.forEach((frontier, id) => {
            expect(frontier.precedes(workers.truth.frontier(id))).toBe(true);
            expect(before[id]!.precedes(frontier)).toBe(true);
          });
          before = now;
        };
        decisions.forEach((decision, n) => {
          const worker = decision % count;
          const rest = Math.floor(decision / count);
          workers.act(worker, rest);
          if (rest % 3 === 0) workers.flush(worker);
          const heardFrom = (decision + n) % count;
          const last = view.heard(`w${heardFrom}`);
          const next = workers.logs[heardFrom]![last];
          if (next) expect(view.hear(next)).toBe(true);
          if (rest % 5 === 0 && last > 0) expect(view.hear(workers.logs[heardFrom]![rest % last]!)).toBe(false);
          if (rest % 7 === 0) view = new ProgressView(graphCase.graph, JSON.parse(JSON.stringify(view.save())));
          look();
        });
        workers.logs.forEach((log, worker) => {
          workers.flush(worker);
          for (const batch of log.slice(view.heard(`w${worker}`))) view.hear(batch);
        });
        for (const { id } of graphCase.graph.locations) expect(view.frontier(id).equals(workers.truth.frontier(id))).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  it('rejects a batch that precedes an earlier one of its worker, and changes nothing', () => {
    const graphCase = fc.sample(anyGraph, { numRuns: 1, seed: 1 })[0]!;
    const changes = [{ location: graphCase.input, time: timestamp(0), diff: 1 }];
    const view = new ProgressView(graphCase.graph, { heard: {}, changes });
    expect(() => view.hear({ worker: 'a', number: 2, changes: [{ ...changes[0]!, diff: -1 }] })).toThrow(BatchGap);
    expect(view.frontier(graphCase.input).toString()).toBe('{0}');
    expect(view.heard('a')).toBe(0);
  });
});
