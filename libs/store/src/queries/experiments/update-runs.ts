import { sql } from 'kysely';
import type { ExperimentId, RunName } from '#model';
import { nameHashes } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** Fields of a run that members may change. Undefined fields do not change. */
export interface RunChanges {
  /** Another name to show. Empty means none. */
  readonly displayName?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly notes?: string | undefined;
  readonly archived?: boolean | undefined;
}

/** Changes runs by name, and returns the names of those that exist. Deleted runs do not count. */
export async function updateRuns(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  { names, changes }: { readonly names: readonly string[]; readonly changes: RunChanges },
): Promise<string[]> {
  const { displayName = null, labels, notes = null, archived = null } = changes;
  const hashes = nameHashes(names);
  // If an archived run is archived again, its first archive time is kept.
  if (archived === true) {
    await sql`/* update-runs */ update run set archived_at = now()
      where tenant_id = ${tenantId} and experiment_id = ${experimentId} and name_hash = any(${hashes}::bytea[])
        and deleted_at is null and archived_at is null`.execute(trx);
  }
  const { rows } = await sql<{ name: RunName }>`
    /* update-runs-run */
    update run set
      display_name = case when ${displayName}::text is null then display_name else nullif(${displayName}::text, '') end,
      labels_set = labels_set or ${labels !== undefined}::boolean,
      labels = coalesce(${labels ? [...labels] : null}::text[], labels),
      notes = coalesce(${notes}::text, notes),
      archived_at = case when ${archived === false} then null else archived_at end
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and name_hash = any(${hashes}::bytea[]) and deleted_at is null
    returning name`.execute(trx);
  return rows.map(({ name }) => name);
}
