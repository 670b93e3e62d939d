import { type Actor, audit, type AuditLine } from '#experiments';
import type { Store } from '#store';

/**
 * Writes down how somebody comes in or goes. What it tells of is in global tables, so the line is a transaction of its own: written first where somebody
 * comes in, since nobody is to come in unnoticed.
 */
export async function noteSignIn(
  store: Store,
  actor: Actor,
  action: 'session.start' | 'session.end' | 'identity.connect' | 'sign-in-link.create',
  details: NonNullable<AuditLine['details']> = {},
): Promise<void> {
  await store.withTenant(actor.tenantId, (trx) => audit(trx, actor, { action, details }));
}
