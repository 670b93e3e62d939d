import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';
import { exportColumns, type ExportJob, isKept, type ExportRow, toExportJob } from './export-job.ts';

/** The export of the same content that has finished or may still finish. Null if there is none. */
export async function findExportOfContent(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  contentKey: Buffer,
): Promise<ExportJob | null> {
  const { rows } = await sql<ExportRow>`/* find-export-of-content */
    select ${exportColumns} from export_job j
    where j.tenant_id = ${tenantId} and j.experiment_id = ${experimentId} and j.content_key = ${contentKey} and j.state <> 'failed' and ${isKept}
    order by j.requested_at desc limit 1`.execute(trx);
  return rows[0] ? toExportJob(rows[0]) : null;
}

/** An export that has not expired. Null if there is none with this ID. */
export async function findExportJob(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  exportId: string,
): Promise<ExportJob | null> {
  const { rows } = await sql<ExportRow>`/* find-export-job */
    select ${exportColumns} from export_job j
    where j.tenant_id = ${tenantId} and j.export_id = ${exportId} and j.experiment_id = ${experimentId} and ${isKept}`.execute(trx);
  return rows[0] ? toExportJob(rows[0]) : null;
}
