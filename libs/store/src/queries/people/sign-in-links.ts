import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { Creator } from './creator.ts';

/**
 * `sign_in_link` is global: a person who opens a link has no tenant yet. It expires by the
 * database's clock, which all processes share.
 */
export async function insertSignInLink(
  db: GlobalHandle,
  link: { linkHash: Buffer; tenantId: TenantId; personId: string; lifetimeSeconds: number; creator: Creator },
): Promise<void> {
  await db
    .insertInto('sign_in_link')
    .values({
      link_hash: link.linkHash,
      tenant_id: link.tenantId,
      person_id: link.personId,
      expires_at: sql<Date>`least(now() + make_interval(secs => ${link.lifetimeSeconds}), ${link.creator.until}::timestamptz)`,
      credential_until: link.creator.until,
      token_id: link.creator.tokenId,
    })
    .modifyEnd(sql`/* insert-sign-in-link */`)
    .execute();
}

/**
 * Marks a link as used. Null if it is unknown, expired, or was used before. Of two concurrent
 * calls, only one gets the link.
 */
export async function useSignInLink(
  db: GlobalHandle,
  linkHash: Buffer,
): Promise<{ tenantId: TenantId; personId: string; creator: Creator } | null> {
  const row = await db
    .updateTable('sign_in_link')
    .set({ used_at: sql<Date>`now()` })
    .where('link_hash', '=', linkHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['tenant_id', 'person_id', 'credential_until', 'token_id'])
    .modifyEnd(sql`/* use-sign-in-link */`)
    .executeTakeFirst();
  return row ? { tenantId: row.tenant_id, personId: row.person_id, creator: { tokenId: row.token_id, until: row.credential_until } } : null;
}
