import { type Actor, audit, type AuditLine } from '#experiments';
import type { Store } from '#store';

/**
 * Records a sign-in or sign-out. Its data is in global tables, so the entry needs a separate
 * transaction. For a sign-in, the entry is written first, because every sign-in must be recorded.
 */
export async function noteSignIn(
  store: Store,
  actor: Actor,
  action: 'session.start' | 'session.end' | 'identity.connect' | 'sign-in-link.create',
  details: NonNullable<AuditLine['details']> = {},
): Promise<void> {
  await store.withTenant(actor.tenantId, (scope) => audit(scope, actor, { action, details }));
}
