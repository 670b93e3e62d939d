import type { Timestamp } from '../timestamp.ts';
import { timeText } from '../timestamp.ts';
import type { Outlet, Vertex, VertexFactory } from './program.ts';

/**
 * TensorFlow's Switch: sends a message on the edge that `choose` returns, and a dead value on the
 * other. The branch that is not taken costs only one dead value, which passes through it without
 * computation.
 */
export function switchVertex(choose: (message: unknown) => 0 | 1): VertexFactory {
  return () => ({
    onRecv(message, time, outlet) {
      const taken = choose(message);
      outlet.sendBy(taken, message, time);
      outlet.sendDead(taken === 0 ? 1 : 0, time);
    },
  });
}

/**
 * TensorFlow's Merge: forwards live messages immediately, from either edge. When a time is complete
 * and only dead values arrived at it, forwards one dead value, because a merge of dead inputs is
 * dead. All messages at the same time go to one worker, wherever the branches were computed.
 * Otherwise, one worker could declare a time dead although the time is alive in another worker.
 */
export function mergeVertex(): VertexFactory {
  return Object.assign((saved?: unknown) => new Merge(saved as readonly string[] | undefined), { meetsByTime: true });
}

class Merge implements Vertex {
  /** Incomplete times for which a live message has arrived. */
  readonly #alive: Set<string>;

  constructor(alive: readonly string[] = []) {
    this.#alive = new Set(alive);
  }

  onRecv(message: unknown, time: Timestamp, outlet: Outlet): void {
    this.#alive.add(timeText(time));
    outlet.notifyAt(time);
    outlet.sendBy('all', message, time);
  }

  onDead(time: Timestamp, outlet: Outlet): void {
    outlet.notifyAt(time);
  }

  onNotify(time: Timestamp, outlet: Outlet): void {
    if (!this.#alive.delete(timeText(time))) outlet.sendDead('all', time);
  }

  save(): readonly string[] {
    return [...this.#alive];
  }
}
