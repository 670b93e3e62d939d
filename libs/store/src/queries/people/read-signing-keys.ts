import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** A key that signs our JWTs. */
export interface StoredSigningKey {
  readonly keyId: string;
  /** JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  readonly sealedKey: Buffer;
  /**
   * Seconds since the key started signing, by the database's clock, which all processes share.
   * Negative until then.
   */
  readonly signsForSeconds: number;
}

/**
 * All keys that may sign JWTs now or soon, newest first. `signing_key` is global. Uses the time
 * when the rows are read. `now()` is the start of the transaction, so a key that another process
 * stored after that would not sign yet.
 */
export async function readSigningKeys(db: GlobalHandle): Promise<StoredSigningKey[]> {
  const { rows } = await sql<{ key_id: string; public_key: Record<string, unknown>; sealed_key: Buffer; signs_for: number }>`
    /* read-signing-keys */
    select key_id, public_key, sealed_key, extract(epoch from clock_timestamp() - signs_from)::float8 as signs_for
    from signing_key order by signs_from desc, key_id`.execute(db);
  return rows.map((row) => ({
    keyId: row.key_id,
    publicKey: row.public_key,
    sealedKey: row.sealed_key,
    signsForSeconds: row.signs_for,
  }));
}
