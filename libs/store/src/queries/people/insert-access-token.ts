import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** A new token, without its secret. */
export interface NewAccessToken {
  readonly tokenId: string;
  readonly personId: string;
  readonly name: string;
  /** The last characters, so that users can distinguish tokens. */
  readonly hint: string;
  readonly scopes: readonly string[];
  /** Null: the whole workspace. */
  readonly experiments: readonly string[] | null;
  readonly expiresAt: Date | null;
  /**
   * The access token that creates this token. Revoking it revokes this token too. Null if there is
   * none.
   */
  readonly creatorTokenId: string | null;
}

export async function insertAccessToken({ trx, tenantId }: TenantScope, token: NewAccessToken): Promise<void> {
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
      made_by: token.creatorTokenId,
    })
    .modifyEnd(sql`/* insert-access-token */`)
    .execute();
}
