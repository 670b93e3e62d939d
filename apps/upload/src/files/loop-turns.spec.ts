import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

/**
 * Starts `count` callers that wait for capacity; `gone` lists the order in which they continued.
 */
function startMany(turns: LoopTurns, count: number): { readonly gone: number[] } {
  const gone: number[] = [];
  for (let n = 0; n < count; n++) {
    void (async () => {
      await turns.take();
      gone.push(n);
    })();
  }
  return { gone };
}

describe('turns of the event loop', () => {
  it('let so many go on in each, first come first served', async () => {
    const turns = new LoopTurns(2);
    const { gone } = startMany(turns, 5);
    const seen: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await Promise.resolve();
      await Promise.resolve();
      seen.push(gone.length);
      await nextTurn();
    }
    expect(seen).toEqual([2, 4, 5]);
    expect(gone).toEqual([0, 1, 2, 3, 4]);
  });

  it('cost those nothing who come one at a time', async () => {
    const turns = new LoopTurns(1);
    for (let n = 0; n < 3; n++) {
      expect(turns.take()).toBeNull();
      await nextTurn();
    }
  });

  it('are not jumped by those who come later', async () => {
    const turns = new LoopTurns(1);
    const first = startMany(turns, 3);
    await nextTurn();
    const late = startMany(turns, 1);
    expect(late.gone).toEqual([]);
    while (late.gone.length === 0) await nextTurn();
    expect(first.gone).toEqual([0, 1, 2]);
  });
});
