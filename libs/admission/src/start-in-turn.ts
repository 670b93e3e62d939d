import { FairQueue, type Permit, type Waiting } from './fair-queue.ts';
import type { Share } from './share.ts';

/**
 * How many requests may start in one turn of the event loop. Starting a request (checking its
 * credentials, reading its parameters) takes up to 0.5 ms, so a turn stays short even during a
 * flood.
 */
const startsPerTurn = 4;

const starts = new FairQueue('requests', startsPerTurn);
let startedThisTurn: Permit[] = [];

/**
 * Calls `start` now. While many requests arrive at once, calls it in one of the next turns of the
 * event loop, which are divided among the shares. A waiting request has cost only the parsing of
 * its headers, and costs nothing more if it is canceled.
 */
export function startInTurn(share: Share, start: () => void): Waiting {
  return starts.enter(share, 1, (permit) => {
    if (startedThisTurn.length === 0) setImmediate(endTurn);
    startedThisTurn.push(permit);
    start();
  });
}

function endTurn(): void {
  const ended = startedThisTurn;
  startedThisTurn = [];
  for (const permit of ended) permit.release();
}
