import { sql } from 'kysely';
import type { ExperimentId, RunName, TagName } from '#model';
import type { TenantScope } from '../../scope.ts';
import { exportColumns, type ExportJob, type ExportRow, toExportJob } from './export-job.ts';

/** An export to be created. */
export interface NewExportJob {
  readonly exportId: string;
  readonly experimentId: ExperimentId;
  readonly format: string;
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  /** A hash (32 bytes) of the inputs that determine the content. */
  readonly contentKey: Buffer;
}

/** Creates an export. The caller holds {@link lockExports}. */
export async function insertExportJob({ trx, tenantId }: TenantScope, job: NewExportJob): Promise<ExportJob> {
  const { rows } = await sql<ExportRow>`/* insert-export-job */
    insert into export_job as j (tenant_id, export_id, experiment_id, format, runs, tags, content_key)
    values (${tenantId}, ${job.exportId}, ${job.experimentId}, ${job.format}, ${job.runs && [...job.runs]}::text[],
      ${job.tags && [...job.tags]}::text[], ${job.contentKey})
    returning ${exportColumns}`.execute(trx);
  return toExportJob(rows[0]!);
}

/**
 * Prevents other transactions from creating an export in this workspace until this transaction
 * ends.
 */
export async function lockExports({ trx, tenantId }: TenantScope): Promise<void> {
  await sql`/* lock-exports */ select pg_advisory_xact_lock(hashtextextended(${tenantId}, 38))`.execute(trx);
}
