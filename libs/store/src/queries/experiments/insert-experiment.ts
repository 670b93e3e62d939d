import { sql } from 'kysely';
import { type ExperimentId, Problem } from '#model';
import { insertProgressView } from '../progress/insert-progress-view.ts';
import type { TenantScope } from '../../scope.ts';

/** The fields given for a new experiment. The others have defaults. */
export interface NewExperiment {
  readonly experimentId: ExperimentId;
  readonly name: string;
  readonly description: string;
  readonly ownerId: string;
  readonly labels: readonly string[];
  /** Absent: none. */
  readonly notes?: string;
}

/**
 * Creates an experiment with its epoch counter and progress view, and the global route from its id
 * to its tenant. The route is written only here, and only read afterward.
 */
export async function insertExperiment(scope: TenantScope, experiment: NewExperiment): Promise<void> {
  const { trx, tenantId } = scope;
  const { experimentId } = experiment;
  const { rows: open } = await sql`/* insert-experiment-workspace */
    select 1 from workspace where tenant_id = ${tenantId} and deleted_at is null for key share`.execute(trx);
  if (open.length === 0) throw new Problem('forbidden', 'This workspace is being deleted; nothing can be added to it.');
  await trx
    .insertInto('experiment')
    .values({
      tenant_id: tenantId,
      experiment_id: experimentId,
      name: experiment.name,
      description: experiment.description,
      owner_id: experiment.ownerId,
      labels: [...experiment.labels],
      notes: experiment.notes ?? '',
    })
    .modifyEnd(sql`/* insert-experiment */`)
    .execute();
  await trx
    .insertInto('experiment_epoch')
    .values({ tenant_id: tenantId, experiment_id: experimentId })
    .modifyEnd(sql`/* insert-experiment-experiment-epoch */`)
    .execute();
  await insertProgressView(scope, experimentId);
  await trx
    .insertInto('experiment_route')
    .values({ experiment_id: experimentId, tenant_id: tenantId })
    .modifyEnd(sql`/* insert-experiment-experiment-route */`)
    .execute();
}
