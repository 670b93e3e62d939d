import { sql } from 'kysely';
import type { ExperimentId, Visibility } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Fields that an owner may change. Undefined fields do not change. */
export interface ExperimentChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly notes?: string | undefined;
  readonly archived?: boolean | undefined;
  readonly visibility?: Visibility | undefined;
}

/** Returns false if the experiment does not exist or was deleted. */
export async function updateExperiment(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  changes: ExperimentChanges,
): Promise<boolean> {
  const { labels, archived, ...texts } = changes;
  // If an archived experiment is archived again, its first archive time is kept.
  if (archived === true) {
    await sql`/* update-experiment */ update experiment set archived_at = now()
      where tenant_id = ${tenantId} and experiment_id = ${experimentId} and deleted_at is null and archived_at is null`.execute(trx);
  }
  const row = await trx
    .updateTable('experiment')
    .set({
      ...texts,
      ...(labels === undefined ? {} : { labels: [...labels] }),
      ...(archived === false ? { archived_at: null } : {}),
      updated_at: sql<Date>`now()`,
    })
    .where('tenant_id', '=', tenantId)
    .where('experiment_id', '=', experimentId)
    .where('deleted_at', 'is', null)
    .returning('experiment_id')
    .modifyEnd(sql`/* update-experiment-experiment */`)
    .executeTakeFirst();
  return row !== undefined;
}
