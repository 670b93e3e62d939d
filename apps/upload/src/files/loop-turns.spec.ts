import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

/**
 * Starts `count` callers that wait for capacity. `continued` lists them in the order in which they
 * continued.
 */
function startMany(turns: LoopTurns, count: number): { readonly continued: number[] } {
  const continued: number[] = [];
  for (let n = 0; n < count; n++) {
    void (async () => {
      await turns.take();
      continued.push(n);
    })();
  }
  return { continued };
}

describe('turns of the event loop', () => {
  it('admit a limited number each, in order of arrival', async () => {
    const turns = new LoopTurns(2);
    const { continued } = startMany(turns, 5);
    const seen: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await Promise.resolve();
      await Promise.resolve();
      seen.push(continued.length);
      await nextTurn();
    }
    expect(seen).toEqual([2, 4, 5]);
    expect(continued).toEqual([0, 1, 2, 3, 4]);
  });

  it('do not delay sequential callers', async () => {
    const turns = new LoopTurns(1);
    for (let n = 0; n < 3; n++) {
      expect(turns.take()).toBeNull();
      await nextTurn();
    }
  });

  it('keep the order when more callers arrive', async () => {
    const turns = new LoopTurns(1);
    const first = startMany(turns, 3);
    await nextTurn();
    const late = startMany(turns, 1);
    expect(late.continued).toEqual([]);
    while (late.continued.length === 0) await nextTurn();
    expect(first.continued).toEqual([0, 1, 2]);
  });
});
