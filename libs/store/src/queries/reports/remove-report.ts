import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Deletes a report. Idempotent. */
export async function removeReport({ trx, tenantId }: TenantScope, reportId: string): Promise<void> {
  await sql`/* remove-report */ delete from report where tenant_id = ${tenantId} and report_id = ${reportId}`.execute(trx);
}
