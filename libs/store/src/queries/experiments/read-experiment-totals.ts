import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Experiment totals for clients of the exporter, in addition to the summary. */
export interface ExperimentTotals {
  readonly experimentId: ExperimentId;
  /** The number of tags with listed series. A tag counts once, even if it is in several runs. */
  readonly tags: number;
  /** Bytes of all values. A value counts as often as it was logged. */
  readonly tensorBytes: number;
  readonly blobBytes: number;
  /** When the experiment last changed or received data. */
  readonly lastWrite: Date;
}

/**
 * The totals of these experiments, in no particular order. Missing experiments are omitted. Reads
 * each tensor and blob row, so call it for only one page of experiments at a time.
 */
export async function readExperimentTotals({ trx, tenantId }: TenantScope, experimentIds: readonly string[]): Promise<ExperimentTotals[]> {
  const { rows } = await sql<{
    experiment_id: ExperimentId;
    tags: string;
    tensor_bytes: string;
    blob_bytes: string;
    last_write: Date;
  }>`
    /* read-experiment-totals */
    select e.experiment_id, c.tags, t.tensor_bytes, b.blob_bytes, greatest(e.updated_at, f.last_write) as last_write
    from experiment e,
    lateral (
      select count(distinct s.tag_hash) as tags
      from series s join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id and r.deleted_at is null
      where s.tenant_id = ${tenantId} and s.experiment_id = e.experiment_id and s.listed
    ) c,
    lateral (
      select coalesce(sum(v.bytes), 0) as tensor_bytes
      from series s join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id and r.deleted_at is null
      join tensor_value v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
      where s.tenant_id = ${tenantId} and s.experiment_id = e.experiment_id and s.data_class = 'tensor' and s.listed
    ) t,
    lateral (
      select coalesce(sum((select sum(u.bytes) from unnest(v.blob_bytes) as u(bytes))), 0) as blob_bytes
      from series s join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id and r.deleted_at is null
      join blob_sequence_value v on v.tenant_id = ${tenantId} and v.series_id = s.series_id
      where s.tenant_id = ${tenantId} and s.experiment_id = e.experiment_id and s.data_class = 'blob_sequence' and s.listed
    ) b,
    lateral (
      select max(g.received_at) as last_write
      from event_file d join segment g on g.tenant_id = ${tenantId} and g.file_id = d.file_id
      where d.tenant_id = ${tenantId} and d.experiment_id = e.experiment_id
    ) f
    where e.tenant_id = ${tenantId} and e.experiment_id = any(${experimentIds}::text[]) and e.deleted_at is null`.execute(trx);
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    tags: Number(row.tags),
    tensorBytes: Number(row.tensor_bytes),
    blobBytes: Number(row.blob_bytes),
    lastWrite: row.last_write,
  }));
}
