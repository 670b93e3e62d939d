import { sql } from 'kysely';
import type { SweeperHandle } from '../../handles.ts';

/**
 * Acknowledged data that is not settled, across all tenants, at one moment. All times come from the
 * database's clock.
 */
export interface PendingTotals {
  readonly segments: number;
  readonly bytes: number;
  /**
   * Age of the oldest segment that a worker may claim now. Null if there is none. Segments that are
   * backing off or waiting for a deletion do not count.
   */
  readonly oldestMs: number | null;
  /** How many segments were received before `receivedBefore`. */
  readonly earlier: number;
  readonly at: Date;
}

/**
 * Reads the whole list of pending segments (role plotline_sweeper, without locks), which takes 0.3
 * s for a million of them, so call it rarely.
 */
export async function readPendingTotals(sweeper: SweeperHandle, receivedBefore: Date): Promise<PendingTotals> {
  const { rows } = await sql<{ segments: string; bytes: string; earlier: string; oldest_ms: number | null; at: Date }>`
    /* read-pending-totals */
    select count(*) as segments, coalesce(sum(p.length), 0) as bytes,
      count(*) filter (where p.received_at < ${receivedBefore}::timestamptz) as earlier,
      (extract(epoch from now() - min(p.received_at) filter (where w.retry_at <= now() and w.held_by is null)) * 1000)::float8 as oldest_ms,
      now() as at
    from pending_segment p left join run_work w on w.tenant_id = p.tenant_id and w.run_id = p.run_id`.execute(sweeper);
  const row = rows[0]!;
  return { segments: Number(row.segments), bytes: Number(row.bytes), oldestMs: row.oldest_ms, earlier: Number(row.earlier), at: row.at };
}
