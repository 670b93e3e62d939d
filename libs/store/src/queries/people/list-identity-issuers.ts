import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** The providers that a person can sign in through. */
export async function listIdentityIssuers(db: GlobalHandle, personId: string): Promise<string[]> {
  const { rows } = await sql<{ issuer: string }>`
    /* list-identity-issuers */
    select distinct issuer from person_identity where person_id = ${personId} order by issuer`.execute(db);
  return rows.map((row) => row.issuer);
}
