import { sql } from 'kysely';
import type { TenantScope, OperatorScope } from '../../scope.ts';

/** A workspace's name and retention periods. */
export interface WorkspaceSettings {
  readonly name: string;
  /** Days after a file was completed. Null means forever. */
  readonly originalsDays: number | null;
  /** How many days audit log entries are kept. Null means forever. */
  readonly auditDays: number | null;
}

/** Null if the workspace was deleted or never existed. */
export async function readWorkspace({ trx, tenantId }: TenantScope | OperatorScope): Promise<WorkspaceSettings | null> {
  const { rows } = await sql<{ name: string; originals_days: number | null; audit_days: number | null }>`
    /* read-workspace */
    select name, originals_days, audit_days from workspace where tenant_id = ${tenantId} and deleted_at is null`.execute(trx);
  const row = rows[0];
  return row ? { name: row.name, originalsDays: row.originals_days, auditDays: row.audit_days } : null;
}
