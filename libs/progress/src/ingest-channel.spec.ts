import { describe, expect, it } from 'vitest';
import {
  acknowledgedChanges,
  ChannelFault,
  hearBatches,
  isOutstanding,
  ledgerChanges,
  noProgress,
  settledChanges,
  type WrittenBatch,
} from './ingest-channel.ts';
import { BatchGap } from './progress-view.ts';

const receive = (epoch: number, segments: number): WrittenBatch => ({
  worker: 'receive',
  number: epoch,
  changes: JSON.parse(JSON.stringify(acknowledgedChanges(epoch, segments))),
});
const run = (id: string, number: number, settled: [number, number][]): WrittenBatch => ({
  worker: `run-${id}`,
  number,
  changes: settledChanges(new Map(settled)),
});

describe('the progress channel', () => {
  it('follows the example of docs/progress.md', () => {
    let state: unknown = ledgerChanges(6, []);
    const heard = new Map([
      ['receive', 6],
      ['run-31', 3],
    ]);
    const hear = (...batches: WrittenBatch[]): number => {
      const after = hearBatches(state, heard, batches);
      state = JSON.parse(JSON.stringify(after.changes));
      for (const [worker, number] of after.numbers) heard.set(worker, number);
      return after.completeEpoch;
    };
    expect(hear(receive(7, 2))).toBe(6);
    expect(hear(receive(8, 1))).toBe(6);
    expect(hear(run('32', 1, [[8, 1]]))).toBe(6); // 7 could still come before it
    expect(isOutstanding(state as never)).toBe(true);
    expect(hear(run('31', 4, [[7, 2]]))).toBe(8);
    expect(state).toEqual(ledgerChanges(8, []));
    expect(isOutstanding(state as never)).toBe(false);
  });

  it('accepts batches of workers in any order, each once, and an epoch without segments', () => {
    const batches = [run('1', 2, [[2, 1]]), run('1', 1, [[1, 1]]), receive(2, 1), receive(3, 0), receive(1, 1)];
    expect(hearBatches(noProgress, new Map(), batches)).toMatchObject({ completeEpoch: 3, changes: [['receive', 4, 1]] });
    const half = hearBatches(noProgress, new Map(), [receive(1, 1), receive(2, 1)]);
    const again = hearBatches(half.changes, new Map([['receive', 2]]), [receive(2, 1), run('1', 1, [[1, 1]])]);
    expect(again).toMatchObject({ completeEpoch: 1, numbers: new Map([['run-1', 1]]) });
  });

  it('rejects impossible state and batches', () => {
    expect(() => hearBatches(noProgress, new Map(), [receive(2, 1)])).toThrow(BatchGap);
    expect(() => hearBatches(noProgress, new Map(), [run('1', 1, [[1, 1]])])).toThrow(ChannelFault); // it was not acknowledged
    for (const state of [[], null, {}, [['receive', 1]], [['nowhere', 1, 1]], [['receive', 'x', 1]]])
      expect(() => hearBatches(state, new Map(), [])).toThrow(ChannelFault);
    expect(() => hearBatches([['receive', -1, 1]], new Map(), [])).toThrow(RangeError);
  });
});
