import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * A person's identity at an OpenID provider: the claims `iss` and `sub`, which together are unique
 * and never reused.
 */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * The person with this identity, and the workspace that they last entered. Null if the identity is
 * new. `person_identity` is global.
 */
export async function readPersonIdentity(
  db: GlobalHandle,
  { issuer, subject }: IdentityKey,
): Promise<{ personId: string; tenantId: TenantId | null } | null> {
  const { rows } = await sql<{ person_id: string; tenant_id: TenantId | null }>`
    /* read-person-identity */
    select person_id, tenant_id from person_identity where issuer = ${issuer} and subject = ${subject}`.execute(db);
  return rows[0] ? { personId: rows[0].person_id, tenantId: rows[0].tenant_id } : null;
}

/** Makes concurrent sign-ins with this identity wait until the transaction ends. */
export async function lockPersonIdentity(trx: GlobalHandle, { issuer, subject }: IdentityKey): Promise<void> {
  await sql`/* lock-person-identity */
    select 1 from person_identity where issuer = ${issuer} and subject = ${subject} for update`.execute(trx);
}
