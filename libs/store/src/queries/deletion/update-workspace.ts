import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Sets the retention periods that are defined. The others do not change. */
export async function updateWorkspace(
  { trx, tenantId }: TenantScope,
  { originalsDays, auditDays }: { readonly originalsDays?: number | null | undefined; readonly auditDays?: number | null | undefined },
): Promise<void> {
  await sql`/* update-workspace */ update workspace set
      originals_days = case when ${originalsDays !== undefined} then ${originalsDays ?? null}::int else originals_days end,
      audit_days = case when ${auditDays !== undefined} then ${auditDays ?? null}::int else audit_days end
    where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
}
