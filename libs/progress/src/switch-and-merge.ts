import type { Timestamp } from './timestamp.ts';
import { timeText } from './timestamp.ts';
import type { Outlet, Vertex, VertexFactory } from './program.ts';

/**
 * TensorFlow's Switch: a message goes on by the edge that `choose` names, and a dead value by the other one. Nothing is held for the branch
 * that is not taken: what it still counts is one dead value, which passes through it without being computed on.
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
 * TensorFlow's Merge: what is alive goes on at once, by whichever edge it came. When a time is complete and only dead values came at it, one
 * dead value goes on: a merge of dead inputs is dead. All of a time meets in one worker, wherever the branches were computed: else one worker
 * would call dead what is alive in another.
 */
export function mergeVertex(): VertexFactory {
  return Object.assign((saved?: unknown) => new Merge(saved as readonly string[] | undefined), { meetsByTime: true });
}

class Merge implements Vertex {
  /** Times at which something alive came, among those that are not complete. */
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
