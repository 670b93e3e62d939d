import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A link's owner and experiment, even if the link was revoked. Null if there is no such link. */
export async function readShareLinkOwner(
  { trx, tenantId }: TenantScope,
  linkId: string,
): Promise<{ readonly madeBy: string | null; readonly sourceId: ExperimentId } | null> {
  const row = await trx
    .selectFrom('share_link')
    .select(['made_by', 'source_id'])
    .where('tenant_id', '=', tenantId)
    .where('link_id', '=', linkId)
    .modifyFront(sql`/* read-share-link-owner */`)
    .executeTakeFirst();
  return row ? { madeBy: row.made_by, sourceId: row.source_id } : null;
}

/** Revokes a link. Caches elsewhere are at most five seconds old. Idempotent. */
export async function revokeShareLink({ trx, tenantId }: TenantScope, linkId: string): Promise<void> {
  await sql`/* revoke-share-link */ update share_link set revoked_at = now()
    where tenant_id = ${tenantId} and link_id = ${linkId} and revoked_at is null`.execute(trx);
}
