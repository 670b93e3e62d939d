import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';
import { isKept } from './export-job.ts';

/** A workspace's queued and running exports. */
export async function countUnfinishedExports({ trx, tenantId }: TenantScope): Promise<number> {
  const { rows } = await sql<{ count: string }>`/* count-unfinished-exports */
    select count(*) as count from export_job j
    where j.tenant_id = ${tenantId} and j.state in ('queued', 'running') and ${isKept}`.execute(trx);
  return Number(rows[0]!.count);
}
