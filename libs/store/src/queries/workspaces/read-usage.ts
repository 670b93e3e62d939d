import { sql } from 'kysely';
import type { TenantScope, OperatorScope } from '../../scope.ts';

/** A workspace's usage, all at one moment. */
export interface Usage {
  /** Includes superseded points. */
  readonly points: number;
  readonly series: number;
  /** Includes experiments that are being deleted, until they are removed. */
  readonly experiments: number;
  /** Counts every version of each event file, even if none of its bytes has arrived. */
  readonly files: number;
  /** Decoded bytes of event files, including ranges that arrived beyond a prefix. */
  readonly originalBytes: number;
  /** Bytes of the tensors and blobs extracted from event files. */
  readonly valueBytes: number;
  /** Bytes of export results, until they expire. */
  readonly exportBytes: number;
  /** Bytes of objects that still exist even though no row refers to them anymore. */
  readonly deletingBytes: number;
  /** Bytes that are acknowledged but not ingested. The other counts do not include their points. */
  readonly pendingBytes: number;
}

/**
 * Counts a workspace's usage in one snapshot, so that bytes that stop being pending are counted
 * exactly once.
 */
export async function readUsage({ trx, tenantId }: TenantScope | OperatorScope): Promise<Usage> {
  const { rows } = await sql<
    Record<'points' | 'series' | 'experiments' | 'files' | 'original' | 'value' | 'deleting' | 'exported' | 'pending', string>
  >`
    /* read-usage */
    select r.points, r.series, r.value,
      (select count(*) from experiment where tenant_id = ${tenantId}) as experiments,
      (select count(*) from event_file where tenant_id = ${tenantId}) as files,
      (select coalesce(sum(stored_bytes), 0) from experiment_epoch where tenant_id = ${tenantId}) as original,
      (select coalesce(sum(bytes), 0) from object_to_delete where tenant_id = ${tenantId}) as deleting,
      (select coalesce(sum(bytes), 0) from export_job where tenant_id = ${tenantId}) as exported,
      (select coalesce(sum(length), 0) from pending_segment where tenant_id = ${tenantId}) as pending
    from (
      select coalesce(sum(points), 0) as points, coalesce(sum(series), 0) as series, coalesce(sum(value_bytes), 0) as value
      from run_state where tenant_id = ${tenantId}
    ) r`.execute(trx);
  const row = rows[0]!;
  return {
    points: Number(row.points),
    series: Number(row.series),
    experiments: Number(row.experiments),
    files: Number(row.files),
    originalBytes: Number(row.original),
    valueBytes: Number(row.value),
    deletingBytes: Number(row.deleting),
    exportBytes: Number(row.exported),
    pendingBytes: Number(row.pending),
  };
}

/**
 * The number of experiments in a workspace, including those being deleted. Locks the workspace's
 * row until the transaction ends, so that two concurrent creations cannot both use the last
 * experiment in the quota.
 */
export async function countExperimentsToAdd({ trx, tenantId }: TenantScope): Promise<number> {
  await sql`/* count-experiments-to-add-workspace */ select 1 from workspace where tenant_id = ${tenantId} for no key update`.execute(trx);
  const { rows } = await sql<{ count: string }>`/* count-experiments-to-add-experiment */
    select count(*) as count from experiment where tenant_id = ${tenantId}`.execute(trx);
  return Number(rows[0]!.count);
}
