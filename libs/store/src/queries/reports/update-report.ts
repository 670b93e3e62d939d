import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A change to a report. Undefined fields do not change. */
export interface ReportChanges {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  /** The experiments that the body's blocks show. */
  readonly experiments?: readonly ExperimentId[] | undefined;
  /** The version that the change is based on. */
  readonly version: number;
  readonly changedBy: string;
}

/** Changes a report. Returns false if the report no longer has the given version. */
export async function updateReport({ trx, tenantId }: TenantScope, reportId: string, changes: ReportChanges): Promise<boolean> {
  const { title = null, body = null, version, changedBy } = changes;
  const experiments = changes.experiments ? [...changes.experiments] : null;
  const { numAffectedRows } = await sql`/* update-report */
    update report set title = coalesce(${title}::text, title), body = coalesce(${body}::text, body),
      experiments = coalesce(${experiments}::text[], experiments),
      version = version + 1, updated_at = now(), updated_by = ${changedBy}
    where tenant_id = ${tenantId} and report_id = ${reportId} and version = ${version}`.execute(trx);
  return numAffectedRows === 1n;
}
