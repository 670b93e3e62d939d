import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** An experiment in a report's block. */
export interface CitedExperiment {
  readonly experimentId: ExperimentId;
  readonly name: string;
  readonly ownerId: string;
}

/** The named experiments that exist in the workspace. */
export async function readCitedExperiments(
  { trx, tenantId }: TenantScope,
  experiments: readonly ExperimentId[],
): Promise<CitedExperiment[]> {
  if (experiments.length === 0) return [];
  const { rows } = await sql<{ experiment_id: ExperimentId; name: string; owner_id: string }>`/* read-cited-experiments */
    select experiment_id, name, owner_id from experiment
    where tenant_id = ${tenantId} and experiment_id = any(${[...experiments]}::text[]) and deleted_at is null`.execute(trx);
  return rows.map((row) => ({ experimentId: row.experiment_id, name: row.name, ownerId: row.owner_id }));
}
