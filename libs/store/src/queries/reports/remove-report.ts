import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Deletes a report, its links and their routes. Idempotent. */
export async function removeReport({ trx, tenantId }: TenantScope, reportId: string): Promise<void> {
  // After this lock, no link can be created, so no link's route is left behind.
  await sql`/* remove-report-lock */ select 1 from report where tenant_id = ${tenantId} and report_id = ${reportId} for update`.execute(
    trx,
  );
  const { rows: links } = await sql<{ link_id: string }>`/* remove-report-link */
    select link_id from report_link where tenant_id = ${tenantId} and report_id = ${reportId}`.execute(trx);
  await sql`/* remove-report-share-link-route */ delete from share_link_route
    where tenant_id = ${tenantId} and link_id = any(${links.map((row) => row.link_id)}::uuid[])`.execute(trx);
  await sql`/* remove-report */ delete from report where tenant_id = ${tenantId} and report_id = ${reportId}`.execute(trx);
}
