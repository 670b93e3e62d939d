import { sql } from 'kysely';
import type { OperatorScope } from '../../scope.ts';

/** A recorded change. `before` and `after` are the non-null columns of the row. */
export interface StoredLimitsChange {
  readonly changedAt: Date;
  readonly changedBy: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  readonly note: string | null;
}

/** At most `limit` of a workspace's limit changes, newest first. */
export async function listLimitsChanges({ trx, tenantId }: OperatorScope, limit: number): Promise<StoredLimitsChange[]> {
  const { rows } = await sql<{
    changed_at: Date;
    changed_by: string;
    before: Record<string, unknown>;
    after: Record<string, unknown>;
    note: string | null;
  }>`/* list-limits-changes */ select changed_at, changed_by, before, after, note from workspace_limits_change
    where tenant_id = ${tenantId} order by changed_at desc, change_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    changedAt: row.changed_at,
    changedBy: row.changed_by,
    before: row.before,
    after: row.after,
    note: row.note,
  }));
}
