import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Whose link it is and to which experiment, revoked or not; null: there is none. */
export async function readShareLinkOwner(
  trx: Kysely<Database>,
  tenantId: string,
  linkId: string,
): Promise<{ readonly madeBy: string | null; readonly sourceId: string } | null> {
  const row = await trx
    .selectFrom('share_link')
    .select(['made_by', 'source_id'])
    .where('tenant_id', '=', tenantId)
    .where('link_id', '=', linkId)
    .executeTakeFirst();
  return row ? { madeBy: row.made_by, sourceId: row.source_id } : null;
}

/** From now on the link shows nothing; answers that are kept elsewhere are at most five seconds old. Again: nothing more happens. */
export async function revokeShareLink(trx: Kysely<Database>, tenantId: string, linkId: string): Promise<void> {
  await sql`update share_link set revoked_at = coalesce(revoked_at, now()) where tenant_id = ${tenantId} and link_id = ${linkId}`.execute(
    trx,
  );
}
