import { currentShare } from './current-share.ts';
import { FairQueue, type Permit } from './fair-queue.ts';
import { serviceShare } from './share.ts';

/**
 * How long large answers together may occupy one turn of the event loop, in milliseconds. A small request takes about five turns, so it waits some 40 ms at most for
 * whatever is being computed for others.
 */
const sliceMs = 8;

/** One turn of the event loop is a resource of one unit. */
const turns = new FairQueue('event-loop', 1);
/** Who computes in this turn; null: nobody has yet. */
let turn: { readonly permit: Permit; readonly since: number } | null = null;

/**
 * Called often by work that takes long, at points where it can wait. Undefined: go on. Otherwise wait for the promise: this turn of the event loop has been used up, and
 * the next ones are given to the shares that compute, one each.
 */
export function pauseIfLong(): Promise<void> | undefined {
  if (turn !== null) return performance.now() - turn.since < sliceMs ? undefined : nextTurn();
  const permit = turns.tryTake(serviceShare);
  if (permit === null) return nextTurn();
  begin(permit);
  return undefined;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    turns.enter(currentShare(), 1, (permit) => {
      begin(permit);
      resolve();
    });
  });
}

function begin(permit: Permit): void {
  turn = { permit, since: performance.now() };
  setImmediate(() => {
    turn = null;
    permit.release();
  });
}
