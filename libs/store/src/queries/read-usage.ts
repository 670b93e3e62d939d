import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** What a workspace has, all of one moment. */
export interface Usage {
  /** Includes superseded points. */
  readonly points: number;
  readonly series: number;
  /** Those that are being deleted count until they are gone. */
  readonly experiments: number;
  /** Every version of each event file, also where nothing of it has arrived. */
  readonly files: number;
  /** Of event files, decoded, also of ranges that arrived beyond a prefix. */
  readonly originalBytes: number;
  /** Of tensors and blobs that were taken out of event files. */
  readonly valueBytes: number;
  /** Of objects that no row refers to any more and that are not gone yet. */
  readonly deletingBytes: number;
  /** Acknowledged, and not read yet: their points are not among the others. */
  readonly pendingBytes: number;
}

/** Counts what a workspace has, from one snapshot: what is pending and what became points are never counted twice, nor left out. */
export async function readUsage(trx: Kysely<Database>, tenantId: string): Promise<Usage> {
  const { rows } = await sql<Record<'points' | 'series' | 'experiments' | 'files' | 'original' | 'value' | 'deleting' | 'pending', string>>`
    select r.points, r.series, r.value,
      (select count(*) from experiment where tenant_id = ${tenantId}) as experiments,
      (select count(*) from event_file where tenant_id = ${tenantId}) as files,
      (select coalesce(sum(stored_bytes), 0) from experiment_epoch where tenant_id = ${tenantId}) as original,
      (select coalesce(sum(bytes), 0) from object_to_delete where tenant_id = ${tenantId}) as deleting,
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
    pendingBytes: Number(row.pending),
  };
}

/**
 * How many experiments a workspace has, those that are being deleted included. Holds the row of the workspace until the transaction ends, so that
 * two who make one at the same moment do not both take the last place.
 */
export async function countExperimentsToAdd(trx: Kysely<Database>, tenantId: string): Promise<number> {
  await sql`select 1 from workspace where tenant_id = ${tenantId} for no key update`.execute(trx);
  const { rows } = await sql<{ count: string }>`select count(*) as count from experiment where tenant_id = ${tenantId}`.execute(trx);
  return Number(rows[0]!.count);
}
