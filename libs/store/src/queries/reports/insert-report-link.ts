import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** A new link to a report, without its secret. */
export interface NewReportLink {
  readonly linkId: string;
  readonly reportId: string;
  readonly name: string;
  readonly madeBy: string;
  readonly anonymous: boolean;
  readonly expiresAt: Date | null;
}

/** Stores a link to a report. It works once its route exists. */
export async function insertReportLink({ trx, tenantId }: TenantScope, link: NewReportLink): Promise<void> {
  await sql`/* insert-report-link */
    insert into report_link (tenant_id, link_id, report_id, name, made_by, anonymous, expires_at)
    values (${tenantId}, ${link.linkId}, ${link.reportId}, ${link.name}, ${link.madeBy}, ${link.anonymous}, ${link.expiresAt})`.execute(
    trx,
  );
}
