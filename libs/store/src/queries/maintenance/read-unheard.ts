import { type RawBuilder, sql } from 'kysely';
import type { ExperimentId, TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';
import { isDistributed } from './is-distributed.ts';

/** An experiment with work for its publisher. */
export interface UnheardExperiment {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
}

/**
 * At most `limit` experiments with unpublished batches from a run's worker or a rebuild. Reads all
 * tenants without locks (role plotline_sweeper). `distributed` defaults to {@link isDistributed}.
 */
export async function readUnheardExperiments(sweeper: SweeperHandle, limit: number, distributed?: boolean): Promise<UnheardExperiment[]> {
  const statement = (distributed ?? (await isDistributed(sweeper))) ? distinctUnheard(limit) : walkUnheard(limit);
  const { rows } = await statement.execute(sweeper);
  return rows.map((row) => ({ tenantId: row.tenant_id, experimentId: row.experiment_id }));
}

interface FoundExperiment {
  readonly tenant_id: TenantId;
  readonly experiment_id: ExperimentId;
}

/** Skips from one experiment to the next using an index that contains only such batches. */
function walkUnheard(limit: number): RawBuilder<FoundExperiment> {
  return sql<FoundExperiment>`
    /* read-unheard-experiments */
    with recursive unheard as (
      (select b.tenant_id, b.experiment_id, 1 as place from progress_batch b where b.worker <> 'receive'
        order by b.tenant_id, b.experiment_id limit 1)
      union all
      select n.tenant_id, n.experiment_id, u.place + 1 from unheard u, lateral (
        select b.tenant_id, b.experiment_id from progress_batch b
        where b.worker <> 'receive' and (b.tenant_id, b.experiment_id) > (u.tenant_id, u.experiment_id)
        order by b.tenant_id, b.experiment_id limit 1) n
      where u.place < ${limit}
    )
    select tenant_id, experiment_id from unheard`;
}

/** The same query for databases that do not support recursion across all tenants. */
function distinctUnheard(limit: number): RawBuilder<FoundExperiment> {
  return sql<FoundExperiment>`
    /* read-unheard-experiments-distinct */
    select distinct tenant_id, experiment_id from progress_batch where worker <> 'receive'
    order by tenant_id, experiment_id limit ${limit}`;
}

/**
 * At most `limit` experiments for which no batch has arrived for `quietMs` even though something is
 * outstanding: pending work, or a batch that the channel lost. Otherwise like {@link
 * readUnheardExperiments}.
 */
export async function readQuietExperiments(sweeper: SweeperHandle, quietMs: number, limit: number): Promise<UnheardExperiment[]> {
  const { rows } = await sql<{ tenant_id: TenantId; experiment_id: ExperimentId }>`
    /* read-quiet-experiments */
    select tenant_id, experiment_id from progress_view
    where outstanding and heard_at < now() - make_interval(secs => ${quietMs / 1000}) order by heard_at limit ${limit}`.execute(sweeper);
  return rows.map((row) => ({ tenantId: row.tenant_id, experimentId: row.experiment_id }));
}
