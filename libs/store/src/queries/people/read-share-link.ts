import { sql } from 'kysely';
import type { ExperimentId, RunName, TagName, View } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A valid link's data. */
export interface ValidShareLink extends View {
  readonly kind: string;
  readonly experimentId: ExperimentId;
  readonly origins: readonly string[] | null;
  /** The query string with which the page opens. Null if there is none. */
  readonly parameters: string | null;
  readonly expiresAt: Date | null;
}

/**
 * Null if the link is unknown or revoked, has expired by the database's clock, or its target was
 * deleted.
 */
export async function readShareLink({ trx, tenantId }: TenantScope, linkId: string): Promise<ValidShareLink | null> {
  const { rows } = await sql<{
    kind: string;
    experiment_id: ExperimentId;
    runs: RunName[] | null;
    tags: TagName[] | null;
    anonymous: boolean;
    logs: boolean;
    origins: string[] | null;
    parameters: string | null;
    expires_at: Date | null;
  }>`/* read-share-link */ select l.kind, l.experiment_id, l.runs, l.tags, l.anonymous, l.logs, l.origins, l.parameters, l.expires_at
    from share_link l
    join experiment e on e.tenant_id = ${tenantId} and e.experiment_id = l.experiment_id and e.deleted_at is null
    where l.tenant_id = ${tenantId} and l.link_id = ${linkId}
      and l.revoked_at is null and (l.expires_at is null or l.expires_at > now())`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  const { kind, runs, tags, anonymous, logs, origins, parameters } = row;
  return { kind, experimentId: row.experiment_id, runs, tags, anonymous, logs, origins, parameters, expiresAt: row.expires_at };
}
