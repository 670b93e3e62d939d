import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/** A deletion that no worker has claimed. */
export interface WaitingDeletion {
  readonly tenantId: TenantId;
  readonly deletionId: string;
}

/**
 * At most `limit` unfinished deletions that no worker has claimed, oldest first. Reads all tenants
 * without locks (role plotline_sweeper).
 */
export async function readUnfinishedDeletions(sweeper: SweeperHandle, limit: number): Promise<WaitingDeletion[]> {
  const { rows } = await sql<{ tenant_id: TenantId; deletion_id: string }>`
    /* read-unfinished-deletions */
    select tenant_id, deletion_id from deletion where finished_at is null and worker_until <= now() order by requested_at limit ${limit}`.execute(
    sweeper,
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, deletionId: row.deletion_id }));
}
