import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** The data that determines who is affected by a change to a report or its links. */
export interface LockedReport {
  readonly body: string;
  /** The experiments to which links to the report give access. */
  readonly experiments: readonly ExperimentId[];
  /** Whether a link to the report is valid. */
  readonly isShared: boolean;
}

/**
 * Prevents other transactions from changing or sharing a report until this transaction ends.
 * Returns null if there is no report with this id.
 */
export async function lockReport({ trx, tenantId }: TenantScope, reportId: string): Promise<LockedReport | null> {
  const { rows } = await sql<{ body: string; experiments: ExperimentId[] }>`/* lock-report */
    select body, experiments from report where tenant_id = ${tenantId} and report_id = ${reportId} for update`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  // A separate statement, so that it sees links that were committed while this transaction waited.
  const { rows: links } = await sql`/* read-report-shared */
    select 1 from report_link where tenant_id = ${tenantId} and report_id = ${reportId}
      and revoked_at is null and (expires_at is null or expires_at > now()) limit 1`.execute(trx);
  return { body: row.body, experiments: row.experiments, isShared: links.length > 0 };
}
