import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';
import type { IdentityKey } from './read-person-identity.ts';

/**
 * Records a sign-in: the workspace entered, and the email address that the provider has now
 * verified.
 */
export async function noteIdentityUse(
  db: GlobalHandle,
  { issuer, subject }: IdentityKey,
  { tenantId, email }: { readonly tenantId: TenantId; readonly email: string | null },
): Promise<void> {
  await sql`/* note-identity-use */ update person_identity set used_at = now(), tenant_id = ${tenantId}, email = ${email}
    where issuer = ${issuer} and subject = ${subject}`.execute(db);
}
