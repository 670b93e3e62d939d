import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** How many snapshots an experiment has, and how many of them are citable. */
export async function countSnapshotsOf(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
): Promise<{ readonly snapshots: number; readonly citable: number }> {
  const { rows } = await sql<{ snapshots: string; citable: string }>`/* count-snapshots-of */
    select count(*) as snapshots, count(c.experiment_id) as citable
    from experiment e left join citation c on c.tenant_id = ${tenantId} and c.experiment_id = e.experiment_id
    where e.tenant_id = ${tenantId} and e.snapshot_of = ${experimentId} and e.deleted_at is null`.execute(trx);
  return { snapshots: Number(rows[0]!.snapshots), citable: Number(rows[0]!.citable) };
}
