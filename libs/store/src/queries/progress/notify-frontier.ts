import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Channel that notifies readers, as a hint, that the frontier of an experiment may have moved; the
 * payload is the experiment's id.
 */
export const frontierChannel = 'plotline_frontier';

/**
 * Notifies waiting readers when this transaction commits. A separate SELECT without FROM, so that
 * Citus delivers it.
 */
export async function notifyFrontier({ trx }: TenantScope, experimentId: ExperimentId): Promise<void> {
  await sql`/* notify-frontier */ select pg_notify(${frontierChannel}, ${experimentId})`.execute(trx);
}
