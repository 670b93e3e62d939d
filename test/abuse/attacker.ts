import { setPriority } from 'node:os';
import { type Attack, attacks, type Target, type Victim } from './attacks.ts';

/*
 * The attacker in a process of its own, at the lowest priority: what the quiet workspace waits for
 * is then the work of the service, and not that of its attacker.
 */

/** Starts an attack, and ends the one before. `times` 0: only ends it. */
export interface Order {
  readonly name: string;
  readonly victim: Victim;
  readonly targets: readonly Target[];
  readonly times: number;
}

setPriority(19);
let attack: Attack | null = null;
process.on('message', (order: Order) => {
  attack?.stop();
  attack = order.times === 0 ? null : attacks[order.name]!(order.victim, order.targets, order.times);
  process.send!('done');
});
process.once('disconnect', () => process.exit(0));
process.on('uncaughtException', () => undefined); // of connections that end in any way
process.send!('ready');
