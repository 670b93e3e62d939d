import { sql } from 'kysely';
import type { ExperimentId, View } from '#model';
import { nameHashes } from '../experiments/view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** The plugins of an experiment's listed series, in byte order. */
export async function listPlugins({ trx, tenantId }: TenantScope, experimentId: ExperimentId, view: View | null): Promise<string[]> {
  const { rows } = await sql<{ plugin: string }>`
    /* list-plugins */
    select distinct s.plugin collate "C" as plugin from series s
    join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id
    where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.listed and s.plugin <> '' and r.deleted_at is null
      and (${!view?.runs} or r.name_hash = any(${nameHashes(view?.runs ?? [])}::bytea[]))
      and (${!view?.tags} or s.tag_hash = any(${nameHashes(view?.tags ?? [])}::bytea[]))
    order by 1`.execute(trx);
  return rows.map(({ plugin }) => plugin);
}
