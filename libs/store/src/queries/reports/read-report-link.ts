import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** The data of a valid link to a report. */
export interface ValidReportLink {
  readonly reportId: string;
  readonly anonymous: boolean;
  readonly expiresAt: Date | null;
  /** The experiments of the report that still exist. */
  readonly experiments: readonly ExperimentId[];
}

/** Null if the link is unknown or revoked, or has expired by the database's clock. */
export async function readReportLink({ trx, tenantId }: TenantScope, linkId: string): Promise<ValidReportLink | null> {
  const { rows } = await sql<{
    report_id: string;
    anonymous: boolean;
    expires_at: Date | null;
    experiment_id: ExperimentId | null;
  }>`/* read-report-link */
    select l.report_id, l.anonymous, l.expires_at, e.experiment_id
    from report_link l
    join report r on r.tenant_id = ${tenantId} and r.report_id = l.report_id
    left join experiment e on e.tenant_id = ${tenantId} and e.experiment_id = any(r.experiments) and e.deleted_at is null
    where l.tenant_id = ${tenantId} and l.link_id = ${linkId}
      and l.revoked_at is null and (l.expires_at is null or l.expires_at > now())`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  const experiments = rows.flatMap(({ experiment_id: id }) => (id === null ? [] : [id]));
  return { reportId: row.report_id, anonymous: row.anonymous, expiresAt: row.expires_at, experiments };
}
