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
 * The person with this identity, and the workspace that they entered last; null: the identity is
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

/**
 * Links an identity to a person, who can sign in with it from now on. False: the identity is
 * already linked; of two concurrent calls, one succeeds.
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

/** Makes concurrent sign-ins with this identity wait until the transaction ends. */
export async function lockPersonIdentity(trx: GlobalHandle, { issuer, subject }: IdentityKey): Promise<void> {
  await sql`/* lock-person-identity */
    select 1 from person_identity where issuer = ${issuer} and subject = ${subject} for update`.execute(trx);
}

/**
 * Records a sign-in: the workspace that was entered, and the e-mail address that the provider has
 * verified now.
 */
export async function noteIdentityUse(
  db: GlobalHandle,
  { issuer, subject }: IdentityKey,
  { tenantId, email }: { readonly tenantId: TenantId; readonly email: string | null },
): Promise<void> {
  await sql`/* note-identity-use */ update person_identity set used_at = now(), tenant_id = ${tenantId}, email = ${email}
    where issuer = ${issuer} and subject = ${subject}`.execute(db);
}

/** The providers through which a person can sign in. */
export async function listIdentityIssuers(db: GlobalHandle, personId: string): Promise<string[]> {
  const { rows } = await sql<{ issuer: string }>`
    /* list-identity-issuers */
    select distinct issuer from person_identity where person_id = ${personId} order by issuer`.execute(db);
  return rows.map((row) => row.issuer);
}

/** Removes a person who was just created but could not be signed in. */
export async function removeNewPerson(db: GlobalHandle, personId: string): Promise<void> {
  await sql`/* remove-new-person */ delete from person where person_id = ${personId}`.execute(db);
}
