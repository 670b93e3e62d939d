import { sql } from 'kysely';
import type { ExperimentId, View } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A new link, without its secret. */
export interface NewShareLink extends View {
  readonly linkId: string;
  readonly kind: 'page' | 'embed';
  /** The experiment that the link shows: {@link sourceId}, or a copy of it. */
  readonly experimentId: ExperimentId;
  /** The experiment that is shared. */
  readonly sourceId: ExperimentId;
  readonly name: string;
  readonly madeBy: string;
  /** The sites that may frame an embed. Null for a page. */
  readonly origins: readonly string[] | null;
  /** The query string with which the page opens. Null if there is none. */
  readonly parameters: string | null;
  readonly expiresAt: Date | null;
}

export async function insertShareLink({ trx, tenantId }: TenantScope, link: NewShareLink): Promise<void> {
  await trx
    .insertInto('share_link')
    .values({
      tenant_id: tenantId,
      link_id: link.linkId,
      kind: link.kind,
      experiment_id: link.experimentId,
      source_id: link.sourceId,
      name: link.name,
      made_by: link.madeBy,
      runs: link.runs && [...link.runs],
      tags: link.tags && [...link.tags],
      anonymous: link.anonymous,
      logs: link.logs === true,
      origins: link.origins && [...link.origins],
      parameters: link.parameters,
      expires_at: link.expiresAt,
    })
    .modifyEnd(sql`/* insert-share-link */`)
    .execute();
}
