import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import type { IdentityKey } from './read-person-identity.ts';

/**
 * Links an identity to a person, who can then sign in with it. Returns false if the identity is
 * already linked. Of two concurrent calls, only one succeeds.
 */
export async function insertPersonIdentity(
  db: GlobalHandle,
  { issuer, subject }: IdentityKey,
  { personId, email }: { readonly personId: string; readonly email: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    /* insert-person-identity */
    insert into person_identity (issuer, subject, person_id, email) values (${issuer}, ${subject}, ${personId}, ${email})
    on conflict do nothing returning 1`.execute(db);
  return rows.length > 0;
}
