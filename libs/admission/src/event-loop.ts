import { ClientGone } from './client.ts';
import { currentClient, currentShare } from './current-share.ts';
import { FairQueue, type Permit } from './fair-queue.ts';
import { serviceShare } from './share.ts';

/**
 * How long large responses together may occupy one turn of the event loop, in milliseconds. A small
 * request takes about five turns, so it waits at most about 25 ms for other computations.
 */
const sliceMs = 5;

/** One turn of the event loop is a resource of one unit. */
const turns = new FairQueue('event-loop', 1);
/** This turn's computation; null if there is none yet. */
let turn: { readonly permit: Permit; readonly since: number } | null = null;

/**
 * Long computations call this often, at points where they can wait. If it returns undefined,
 * continue. Otherwise, await the promise: this turn of the event loop is used up, and the next
 * turns go to the computing shares in rotation.
 */
export function pauseIfLong(): Promise<void> | undefined {
  if (turn !== null) return performance.now() - turn.since < sliceMs ? undefined : nextTurn();
  const permit = turns.tryTake(serviceShare);
  if (permit === null) return nextTurn();
  begin(permit);
  return undefined;
}

/**
 * Like {@link pauseIfLong}, for a computation of a few milliseconds that cannot wait once it has
 * started, such as parsing a large body. Returns undefined if nothing has been computed in this
 * turn, otherwise a promise to await.
 */
export function pauseIfBusy(): Promise<void> | undefined {
  return turn === null ? pauseIfLong() : nextTurn();
}

/** Ends a computation if its client has disconnected: rejects with {@link ClientGone}. */
function nextTurn(): Promise<void> {
  const client = currentClient();
  if (client?.isGone) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    turns.enter(currentShare(), 1, (permit) => {
      begin(permit);
      if (client?.isGone) reject(new ClientGone());
      else resolve();
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
