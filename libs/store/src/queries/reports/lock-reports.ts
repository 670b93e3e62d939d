import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * Prevents other transactions from creating reports in the workspace until this transaction ends,
 * and counts the workspace's reports.
 */
export async function lockReports({ trx, tenantId }: TenantScope): Promise<number> {
  await sql`/* lock-reports */ select 1 from workspace where tenant_id = ${tenantId} for no key update`.execute(trx);
  const { rows } = await sql<{ count: string }>`/* count-reports */
    select count(*) as count from report where tenant_id = ${tenantId}`.execute(trx);
  return Number(rows[0]!.count);
}
