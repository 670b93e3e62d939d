import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';
import { exportColumns, type ExportJob, isKept, type ExportRow, toExportJob } from './export-job.ts';

/** An experiment's exports that have not expired, newest first. */
export async function listExportJobs({ trx, tenantId }: TenantScope, experimentId: ExperimentId, limit: number): Promise<ExportJob[]> {
  const { rows } = await sql<ExportRow>`/* list-export-jobs */
    select ${exportColumns} from export_job j
    where j.tenant_id = ${tenantId} and j.experiment_id = ${experimentId} and ${isKept}
    order by j.requested_at desc limit ${limit}`.execute(trx);
  return rows.map(toExportJob);
}
