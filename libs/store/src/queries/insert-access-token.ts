import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** A token that is made: everything but its secret. */
export interface NewAccessToken {
  readonly tokenId: string;
  readonly personId: string;
  readonly name: string;
  /** The last characters, so that a person can tell tokens apart. */
  readonly hint: string;
  readonly scopes: readonly string[];
  /** Null: all of the workspace. */
  readonly experiments: readonly string[] | null;
  readonly expiresAt: Date | null;
  /** The access token that makes it; it is revoked with it. Null: none. */
  readonly makerTokenId: string | null;
}

export async function insertAccessToken(trx: Kysely<Database>, tenantId: string, token: NewAccessToken): Promise<void> {
  await trx
    .insertInto('access_token')
    .values({
      tenant_id: tenantId,
      token_id: token.tokenId,
      person_id: token.personId,
      name: token.name,
      hint: token.hint,
      scopes: [...token.scopes],
      experiments: token.experiments && [...token.experiments],
      expires_at: token.expiresAt,
      made_by: token.makerTokenId,
    })
    .execute();
}
