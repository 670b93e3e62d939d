import { sql } from 'kysely';
import type { QuotaName } from '#model';
import type { TenantScope, OperatorScope } from '../../scope.ts';

/**
 * The state of a suspended workspace: `read-only` rejects everything except reads, and `closed`
 * also rejects reads.
 */
export type SuspensionMode = 'read-only' | 'closed';

/** A workspace's suspension. */
export interface Suspension {
  readonly mode: SuspensionMode;
  readonly since: Date;
  /** Shown to the workspace's members. */
  readonly reason: string;
}

/** Limits set for one workspace. Where null, the service's settings apply. */
export interface WorkspaceLimits {
  readonly quotas: Readonly<Record<QuotaName, number | null>>;
  readonly suspension: Suspension | null;
}

interface LimitsRow {
  readonly points: string | null;
  readonly bytes: string | null;
  readonly experiments: string | null;
  readonly series: string | null;
  readonly files: string | null;
  readonly pending_bytes: string | null;
  readonly requests_per_minute: string | null;
  readonly suspension: string | null;
  readonly suspended_at: Date | null;
  readonly suspension_reason: string | null;
}

/** The limits set for the workspace. Null if none was ever set. */
export async function readWorkspaceLimits({ trx, tenantId }: TenantScope | OperatorScope): Promise<WorkspaceLimits | null> {
  const { rows } = await sql<LimitsRow>`
    /* read-workspace-limits */
    select points, bytes, experiments, series, files, pending_bytes, requests_per_minute, suspension, suspended_at, suspension_reason
    from workspace_limits where tenant_id = ${tenantId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  const number = (text: string | null): number | null => (text === null ? null : Number(text));
  return {
    quotas: {
      points: number(row.points),
      bytes: number(row.bytes),
      experiments: number(row.experiments),
      series: number(row.series),
      files: number(row.files),
      pending_bytes: number(row.pending_bytes),
      requests_per_minute: number(row.requests_per_minute),
    },
    suspension:
      row.suspension === null || row.suspended_at === null
        ? null
        : {
            // An unknown mode, from a newer Plotline, is treated as the stricter known mode.
            mode: row.suspension === 'read-only' ? 'read-only' : 'closed',
            since: row.suspended_at,
            reason: row.suspension_reason ?? '',
          },
  };
}
