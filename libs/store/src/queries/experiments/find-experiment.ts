import { sql } from 'kysely';
import type { ExperimentId, Visibility } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Properties of an experiment that authorization depends on. */
export interface FoundExperiment {
  readonly ownerId: string;
  readonly visibility: Visibility;
  /** Set for a snapshot, which accepts no bytes and no changes. */
  readonly frozen: boolean;
}

/** A tenant's experiment. Null if it does not exist or was deleted. */
export async function findExperiment({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<FoundExperiment | null> {
  const { rows } = await sql<{ owner_id: string; visibility: Visibility; frozen: boolean }>`/* prepared: find-experiment */
    select owner_id, visibility, snapshot_of is not null as frozen
    from experiment where tenant_id = ${tenantId} and experiment_id = ${experimentId} and deleted_at is null`.execute(trx);
  const row = rows[0];
  return row ? { ownerId: row.owner_id, visibility: row.visibility, frozen: row.frozen } : null;
}
