import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** A key that signs our JWTs. */
export interface StoredSigningKey {
  readonly keyId: string;
  /** JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  readonly sealedKey: Buffer;
  /**
   * Seconds since it started to sign; negative: until it starts. By the clock of the database,
   * which all processes share.
   */
  readonly signsForSeconds: number;
}

/**
 * All keys that may sign JWTs now or soon, newest first. `signing_key` is global. Uses the time at
 * which the rows are read: `now()` is the start of the transaction, which may be before another
 * process stored a key, and that key would not sign yet.
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

/** A key to be stored. */
export interface NewSigningKey extends Omit<StoredSigningKey, 'signsForSeconds'> {
  readonly signsInSeconds: number;
}

/**
 * Stores a key, unless a key exists that is not among `known`: then another process has created one
 * meanwhile. Only one process at a time runs this. `signing_key` is global.
 */
export async function insertSigningKey(db: GlobalHandle, key: NewSigningKey, known: readonly string[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`/* lock-signing-keys */ select pg_advisory_xact_lock(hashtext('plotline.signing_key'))`.execute(trx);
    await sql`/* insert-signing-key */ insert into signing_key (key_id, public_key, sealed_key, signs_from)
      select ${key.keyId}, ${JSON.stringify(key.publicKey)}::jsonb, ${key.sealedKey}, now() + make_interval(secs => ${key.signsInSeconds})
      where not exists (select from signing_key where key_id <> all(${[...known]}::text[]))`.execute(trx);
  });
}

/** Removes the keys that were replaced more than `seconds` ago. `signing_key` is global. */
export async function removeOldSigningKeys(db: GlobalHandle, seconds: number): Promise<void> {
  await sql`/* remove-old-signing-keys */ delete from signing_key k where exists (
    select from signing_key n where n.signs_from > k.signs_from and n.signs_from < now() - make_interval(secs => ${seconds}))`.execute(db);
}
