import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * The guarantee for an experiment's readers: everything acknowledged up to `epoch` is visible
 * through every query. This is the published state, so it may lag behind the stored state by
 * milliseconds, but it never decreases. Counts are in bytes, at the time of the query.
 */
export interface Frontier {
  readonly epoch: number;
  readonly acknowledgedEpoch: number;
  readonly acknowledgedBytes: number;
  readonly visibleBytes: number;
  /** Bytes that are settled but belong to an incomplete last record. */
  readonly incompleteTailBytes: number;
  /**
   * Bytes that are settled without being stored: damaged, over a limit, or after damage that ends a
   * file.
   */
  readonly rejectedBytes: number;
}

interface Row {
  acknowledged_epoch: string;
  acknowledged_bytes: string;
  published_epoch: string;
  pending_bytes: string;
  incomplete_bytes: string;
  rejected_bytes: string;
}

/** An experiment's frontier. Null if the experiment does not exist or was deleted. */
export async function readFrontier({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<Frontier | null> {
  const { rows } = await sql<Row>`/* prepared: read-frontier */
    select a.acknowledged_epoch, a.acknowledged_bytes, p.pending_bytes,
      coalesce(v.published_epoch, p.pending_epoch - 1, a.acknowledged_epoch) as published_epoch, f.incomplete_bytes, f.rejected_bytes
    from experiment_epoch a
    join experiment e on e.tenant_id = ${tenantId} and e.experiment_id = a.experiment_id and e.deleted_at is null
    left join progress_view v on v.tenant_id = ${tenantId} and v.experiment_id = a.experiment_id,
    lateral (
      select min(s.epoch) as pending_epoch, coalesce(sum(s.length), 0) as pending_bytes
      from pending_segment s where s.tenant_id = ${tenantId} and s.experiment_id = a.experiment_id
    ) p,
    lateral (
      select coalesce(sum(g.rejected_bytes), 0) as rejected_bytes,
        coalesce(sum(case when g.ended or g.parsed_offset >= d.durable_offset then 0 else greatest(0, coalesce(
          (select min(s."offset") from pending_segment s
            where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.run_id = d.run_id and s.file_id = d.file_id),
          d.durable_offset) - g.parsed_offset) end), 0) as incomplete_bytes
      from event_file d
      join file_progress g on g.tenant_id = ${tenantId} and g.file_id = d.file_id
      where d.tenant_id = ${tenantId} and d.experiment_id = a.experiment_id
    ) f
    where a.tenant_id = ${tenantId} and a.experiment_id = ${experimentId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  const acknowledgedBytes = Number(row.acknowledged_bytes);
  return {
    epoch: Number(row.published_epoch),
    acknowledgedEpoch: Number(row.acknowledged_epoch),
    acknowledgedBytes,
    visibleBytes: acknowledgedBytes - Number(row.pending_bytes),
    incompleteTailBytes: Number(row.incomplete_bytes),
    rejectedBytes: Number(row.rejected_bytes),
  };
}
