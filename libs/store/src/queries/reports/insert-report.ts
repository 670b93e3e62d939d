import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A report to store. */
export interface NewReport {
  readonly reportId: string;
  readonly ownerId: string;
  readonly title: string;
  readonly body: string;
  /** The experiments that the report's blocks show. */
  readonly experiments: readonly ExperimentId[];
}

/** Stores a report, as version 1. */
export async function insertReport({ trx, tenantId }: TenantScope, report: NewReport): Promise<void> {
  await sql`/* insert-report */
    insert into report (tenant_id, report_id, owner_id, updated_by, title, body, experiments)
    values (${tenantId}, ${report.reportId}, ${report.ownerId}, ${report.ownerId}, ${report.title}, ${report.body}, ${[...report.experiments]}::text[])`.execute(
    trx,
  );
}
