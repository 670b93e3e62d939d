import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { type QuotaName, quotaNames } from '#model';
import type { Database } from '../database.ts';
import type { SuspensionMode } from './read-workspace-limits.ts';

/** What whoever runs the service changes of a workspace; what is absent stays. */
export interface LimitsChange {
  /** Null: again what the settings say. */
  readonly quotas?: Partial<Readonly<Record<QuotaName, number | null>>>;
  /** Null: the workspace works again. */
  readonly suspension?: { readonly mode: SuspensionMode; readonly reason: string } | null;
  /** Who changes it, for the record. */
  readonly by: string;
  readonly note?: string;
}

/** A change that was made. `before` and `after` are the columns of the row that are not null. */
export interface StoredLimitsChange {
  readonly changedAt: Date;
  readonly changedBy: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  readonly note: string | null;
}

/** Changes what is set for a workspace, and keeps the change, in one transaction of the operator. False: there is no such workspace. */
export async function writeWorkspaceLimits(trx: Kysely<Database>, tenantId: string, change: LimitsChange): Promise<boolean> {
  // Held until the transaction ends: changes of one workspace come one after the other, so each has the right `before`.
  const { rows: workspaces } = await sql`select 1 from workspace where tenant_id = ${tenantId} for no key update`.execute(trx);
  if (workspaces.length === 0) return false;
  await sql`insert into workspace_limits (tenant_id) values (${tenantId}) on conflict (tenant_id) do nothing`.execute(trx);
  const before = await readRow(trx, tenantId);
  for (const name of quotaNames) {
    const value = change.quotas?.[name];
    if (value !== undefined) await sql`update workspace_limits set ${sql.ref(name)} = ${value} where tenant_id = ${tenantId}`.execute(trx);
  }
  if (change.suspension === null) {
    await sql`update workspace_limits set suspension = null, suspended_at = null, suspension_reason = null where tenant_id = ${tenantId}`.execute(
      trx,
    );
  } else if (change.suspension) {
    const { mode, reason } = change.suspension;
    await sql`update workspace_limits set suspension = ${mode}, suspended_at = now(), suspension_reason = ${reason}
      where tenant_id = ${tenantId}`.execute(trx);
  }
  const after = await readRow(trx, tenantId);
  await sql`insert into workspace_limits_change (tenant_id, change_id, changed_by, before, after, note)
    values (${tenantId}, ${randomUUID()}, ${change.by}, ${before}::jsonb, ${after}::jsonb, ${change.note ?? null})`.execute(trx);
  return true;
}

/** What was changed of a workspace, the newest first, at most `limit`. */
export async function listLimitsChanges(trx: Kysely<Database>, tenantId: string, limit: number): Promise<StoredLimitsChange[]> {
  const { rows } = await sql<{
    changed_at: Date;
    changed_by: string;
    before: Record<string, unknown>;
    after: Record<string, unknown>;
    note: string | null;
  }>`select changed_at, changed_by, before, after, note from workspace_limits_change
    where tenant_id = ${tenantId} order by changed_at desc, change_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    changedAt: row.changed_at,
    changedBy: row.changed_by,
    before: row.before,
    after: row.after,
    note: row.note,
  }));
}

/** The row as JSON text, without what is null. */
async function readRow(trx: Kysely<Database>, tenantId: string): Promise<string> {
  const { rows } = await sql<{ row: string }>`
    select (jsonb_strip_nulls(to_jsonb(w)) - 'tenant_id')::text as row from workspace_limits w where tenant_id = ${tenantId}`.execute(trx);
  return rows[0]!.row;
}
