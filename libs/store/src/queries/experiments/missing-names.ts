import { sql } from 'kysely';
import type { ExperimentId, RunName, TagName } from '#model';
import { nameHashes } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** Names of runs and tags. */
export interface AskedNames {
  readonly runs: readonly RunName[];
  readonly tags: readonly TagName[];
}

/** The given runs and tags that an experiment does not have, in the given order. */
export async function missingNames(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  { runs, tags }: AskedNames,
): Promise<AskedNames> {
  const { rows } = await sql<{ run_no: string | null; tag_no: string | null }>`
    /* missing-names */
    select q.no as run_no, null::int8 as tag_no from unnest(${nameHashes(runs)}::bytea[]) with ordinality q(hash, no)
    where not exists (
      select 1 from run r
      where r.tenant_id = ${tenantId} and r.experiment_id = ${experimentId} and r.name_hash = q.hash and r.deleted_at is null
    )
    union all
    select null, q.no from unnest(${nameHashes(tags)}::bytea[]) with ordinality q(hash, no)
    where not exists (
      select 1 from series s join run r on r.tenant_id = ${tenantId} and r.run_id = s.run_id and r.deleted_at is null
      where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.tag_hash = q.hash
    )`.execute(trx);
  const pick = (names: readonly string[], places: readonly (string | null)[]): string[] =>
    places
      .flatMap((place) => (place === null ? [] : [Number(place)]))
      .toSorted((a, b) => a - b)
      .map((place) => names[place - 1]!);
  return {
    runs: pick(
      runs,
      rows.map((row) => row.run_no),
    ),
    tags: pick(
      tags,
      rows.map((row) => row.tag_no),
    ),
  };
}
