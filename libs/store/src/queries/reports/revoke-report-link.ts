import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * The creator of a link to this report, even if the link was revoked. Null if there is no such
 * link.
 */
export async function readReportLinkOwner(
  { trx, tenantId }: TenantScope,
  reportId: string,
  linkId: string,
): Promise<{ readonly madeBy: string | null } | null> {
  const { rows } = await sql<{ made_by: string | null }>`/* read-report-link-owner */
    select made_by from report_link where tenant_id = ${tenantId} and report_id = ${reportId} and link_id = ${linkId}`.execute(trx);
  return rows[0] ? { madeBy: rows[0].made_by } : null;
}

/** Revokes a link. Caches elsewhere are at most three seconds old. Idempotent. */
export async function revokeReportLink({ trx, tenantId }: TenantScope, linkId: string): Promise<void> {
  await sql`/* revoke-report-link */ update report_link set revoked_at = now()
    where tenant_id = ${tenantId} and link_id = ${linkId} and revoked_at is null`.execute(trx);
}
