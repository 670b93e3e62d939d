import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type QuotaName, quotaNames } from '#model';
import type { SuspensionMode } from './read-workspace-limits.ts';
import type { OperatorScope } from '../../scope.ts';

/** The operator's changes to a workspace. Absent fields do not change. */
export interface LimitsChange {
  /** Null restores the service's setting. */
  readonly quotas?: Partial<Readonly<Record<QuotaName, number | null>>>;
  /** Null: ends the suspension. */
  readonly suspension?: { readonly mode: SuspensionMode; readonly reason: string } | null;
  /** The operator's name, which is recorded. */
  readonly by: string;
  readonly note?: string;
}

/**
 * Changes a workspace's limits and records the change, in one operator transaction. Returns false
 * if there is no such workspace.
 */
export async function writeWorkspaceLimits(scope: OperatorScope, change: LimitsChange): Promise<boolean> {
  const { trx, tenantId } = scope;
  // Locks the row until the transaction ends, so that changes to one workspace are serialized, and
  // each has the correct `before`.
  const { rows: workspaces } = await sql`/* write-workspace-limits-workspace */
    select 1 from workspace where tenant_id = ${tenantId} for no key update`.execute(trx);
  if (workspaces.length === 0) return false;
  await sql`/* write-workspace-limits */
    insert into workspace_limits (tenant_id) values (${tenantId}) on conflict (tenant_id) do nothing`.execute(trx);
  const before = await readRow(scope);
  for (const name of quotaNames) {
    const value = change.quotas?.[name];
    if (value !== undefined)
      await sql`/* write-workspace-limits-workspace-limits */
      update workspace_limits set ${sql.ref(name)} = ${value} where tenant_id = ${tenantId}`.execute(trx);
  }
  if (change.suspension === null) {
    await sql`/* write-workspace-limits-update-workspace-limits */
      update workspace_limits set suspension = null, suspended_at = null, suspension_reason = null where tenant_id = ${tenantId}`.execute(
      trx,
    );
  } else if (change.suspension) {
    const { mode, reason } = change.suspension;
    await sql`/* write-workspace-limits-workspace-limits-2 */
      update workspace_limits set suspension = ${mode}, suspended_at = now(), suspension_reason = ${reason}
      where tenant_id = ${tenantId}`.execute(trx);
  }
  const after = await readRow(scope);
  await sql`/* write-workspace-limits-workspace-limits-change */
    insert into workspace_limits_change (tenant_id, change_id, changed_by, before, after, note)
    values (${tenantId}, ${randomUUID()}, ${change.by}, ${before}::jsonb, ${after}::jsonb, ${change.note ?? null})`.execute(trx);
  return true;
}

/** The row as JSON text, omitting null columns. */
async function readRow({ trx, tenantId }: OperatorScope): Promise<string> {
  const { rows } = await sql<{ row: string }>`
    /* read-row */
    select (jsonb_strip_nulls(to_jsonb(w)) - 'tenant_id')::text as row from workspace_limits w where tenant_id = ${tenantId}`.execute(trx);
  return rows[0]!.row;
}
