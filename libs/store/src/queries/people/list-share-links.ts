import { sql } from 'kysely';
import type { ExperimentId, RunName, TagName, View } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A link for display. Its secret is not stored. */
export interface ShareLinkSummary extends View {
  readonly linkId: string;
  readonly kind: string;
  /** The experiment that the link shows: {@link sourceId}, or a copy of it. */
  readonly experimentId: ExperimentId;
  readonly sourceId: ExperimentId;
  readonly name: string;
  /** Null if the creator was deleted. */
  readonly madeBy: { readonly id: string; readonly name: string } | null;
  readonly origins: readonly string[] | null;
  /** The query string with which the page opens. Null if there is none. */
  readonly parameters: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** The valid links to an experiment, or to copies of it created for a link, newest first. */
export async function listShareLinks(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  limit: number,
): Promise<ShareLinkSummary[]> {
  const { rows } = await sql<{
    link_id: string;
    kind: string;
    experiment_id: ExperimentId;
    source_id: ExperimentId;
    name: string;
    made_by: string | null;
    display_name: string | null;
    runs: RunName[] | null;
    tags: TagName[] | null;
    anonymous: boolean;
    logs: boolean;
    origins: string[] | null;
    parameters: string | null;
    created_at: Date;
    expires_at: Date | null;
  }>`/* list-share-links */
    select l.link_id, l.kind, l.experiment_id, l.source_id, l.name, l.made_by, p.display_name, l.runs, l.tags, l.anonymous, l.logs, l.origins, l.parameters, l.created_at, l.expires_at
    from share_link l
    join experiment e on e.tenant_id = ${tenantId} and e.experiment_id = l.experiment_id and e.deleted_at is null
    left join person p on p.person_id = l.made_by
    where l.tenant_id = ${tenantId} and (l.source_id = ${experimentId} or l.experiment_id = ${experimentId})
      and l.revoked_at is null and (l.expires_at is null or l.expires_at > now())
    order by l.created_at desc, l.link_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({
    linkId: row.link_id,
    kind: row.kind,
    experimentId: row.experiment_id,
    sourceId: row.source_id,
    name: row.name,
    madeBy: row.made_by === null ? null : { id: row.made_by, name: row.display_name ?? '' },
    runs: row.runs,
    tags: row.tags,
    anonymous: row.anonymous,
    logs: row.logs,
    origins: row.origins,
    parameters: row.parameters,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}
