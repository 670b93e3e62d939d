import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';
import type { ReportPerson } from './read-reports.ts';

/** A link for display. Its secret is not stored. */
export interface ReportLinkSummary {
  readonly linkId: string;
  readonly name: string;
  readonly anonymous: boolean;
  /** Null if the creator was deleted. */
  readonly madeBy: ReportPerson | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** The valid links to a report, newest first. */
export async function listReportLinks({ trx, tenantId }: TenantScope, reportId: string, limit: number): Promise<ReportLinkSummary[]> {
  const { rows } = await sql<{
    link_id: string;
    name: string;
    anonymous: boolean;
    made_by: string | null;
    display_name: string | null;
    created_at: Date;
    expires_at: Date | null;
  }>`/* list-report-links */
    select l.link_id, l.name, l.anonymous, l.made_by, p.display_name, l.created_at, l.expires_at
    from report_link l left join person p on p.person_id = l.made_by
    where l.tenant_id = ${tenantId} and l.report_id = ${reportId}
      and l.revoked_at is null and (l.expires_at is null or l.expires_at > now())
    order by l.created_at desc, l.link_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    linkId: row.link_id,
    name: row.name,
    anonymous: row.anonymous,
    madeBy: row.made_by === null ? null : { id: row.made_by, name: row.display_name ?? '' },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}
