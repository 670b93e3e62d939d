import { type Actor, audit, type AuditLine } from '#experiments';
import type { Store } from '#store';

/**
 * Records a sign-in or sign-out. Its data is in global tables, so the entry is a separate
 * transaction: written first for a sign-in, since no sign-in may go unrecorded.
 */
export async function noteSignIn(
  store: Store,
  actor: Actor,
  action: 'session.start' | 'session.end' | 'identity.connect' | 'sign-in-link.create',
  details: NonNullable<AuditLine['details']> = {},
): Promise<void> {
  await store.withTenant(actor.tenantId, (scope) => audit(scope, actor, { action, details }));
}
