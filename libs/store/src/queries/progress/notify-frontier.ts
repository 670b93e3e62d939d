import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { AnyScope, TenantScope } from '../../scope.ts';

/**
 * Channel that notifies readers, as a hint, that an experiment's frontier may have moved. The
 * payload is the experiment's id.
 */
export const frontierChannel = 'plotline_frontier';

/**
 * Notifies waiting readers when this transaction commits. This is a separate SELECT without FROM
 * because Citus delivers it only in this form.
 */
export async function notifyFrontier({ trx }: TenantScope, experimentId: ExperimentId): Promise<void> {
  await sql`/* notify-frontier */ select pg_notify(${frontierChannel}, ${experimentId})`.execute(trx);
}

/**
 * Notifies the channel's listeners with a string that is not an experiment's ID. A process uses
 * this to check whether notifications reach it.
 */
export async function notifyListeners({ trx }: AnyScope, text: string): Promise<void> {
  await sql`/* notify-listeners */ select pg_notify(${frontierChannel}, ${text})`.execute(trx);
}
