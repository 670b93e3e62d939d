import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/**
 * One tenant's acknowledged data that is not settled. `cost` is in bytes, and counts each segment
 * as at least `minSegmentBytes`.
 */
export interface PendingOfTenant {
  readonly tenantId: TenantId;
  readonly cost: number;
}

/**
 * The pending bytes of every tenant that has any (role plotline_sweeper, without locks). Reads the
 * whole list of pending segments, which takes 0.2 s for a million of them, so do not call it for
 * each request.
 */
export async function readPendingBytes(sweeper: SweeperHandle, minSegmentBytes: number): Promise<PendingOfTenant[]> {
  const { rows } = await sql<{ tenant_id: TenantId; cost: string }>`
    /* read-pending-bytes */
    select p.tenant_id, sum(greatest(p.length, ${minSegmentBytes}::integer)) as cost from pending_segment p group by p.tenant_id`.execute(
    sweeper,
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, cost: Number(row.cost) }));
}
