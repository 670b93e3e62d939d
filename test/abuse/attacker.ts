import { setPriority } from 'node:os';
import { type Attack, attacks, type Target, type Victim } from './attacks.ts';

/*
 * The attacker, in a separate process at the lowest priority, so that the quiet workspace waits for
 * the service, not for its attacker.
 */

/**
 * Starts an attack after ending the previous one. With `times` 0, only ends the previous attack.
 */
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
process.on('uncaughtException', () => undefined); // errors of connections that were closed
process.send!('ready');
