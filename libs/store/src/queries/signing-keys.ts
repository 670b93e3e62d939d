import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** A key that our own JWTs are signed with. */
export interface StoredSigningKey {
  readonly keyId: string;
  /** JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  readonly sealedKey: Buffer;
  /** Since when it signs, in seconds; negative: until it does. By the clock of the database, which all processes share. */
  readonly signsForSeconds: number;
}

/**
 * All keys that JWTs may be signed with now, or soon; the newest first. `signing_key` is global. The time is that at which the rows are read: `now()` is when
 * the transaction began, which can be before that of a process that has stored a key since, and that key would not sign yet.
 */
export async function readSigningKeys(db: Kysely<Database>): Promise<StoredSigningKey[]> {
  const { rows } = await sql<{ key_id: string; public_key: Record<string, unknown>; sealed_key: Buffer; signs_for: number }>`
    select key_id, public_key, sealed_key, extract(epoch from clock_timestamp() - signs_from)::float8 as signs_for
    from signing_key order by signs_from desc, key_id`.execute(db);
  return rows.map((row) => ({
    keyId: row.key_id,
    publicKey: row.public_key,
    sealedKey: row.sealed_key,
    signsForSeconds: row.signs_for,
  }));
}

/** A key that is to be stored. */
export interface NewSigningKey extends Omit<StoredSigningKey, 'signsForSeconds'> {
  readonly signsInSeconds: number;
}

/**
 * Stores a key, unless there is one that is not among `known`: then another process has made one meanwhile. One process at a time does this.
 * `signing_key` is global.
 */
export async function insertSigningKey(db: Kysely<Database>, key: NewSigningKey, known: readonly string[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('plotline.signing_key'))`.execute(trx);
    await sql`insert into signing_key (key_id, public_key, sealed_key, signs_from)
      select ${key.keyId}, ${JSON.stringify(key.publicKey)}::jsonb, ${key.sealedKey}, now() + make_interval(secs => ${key.signsInSeconds})
      where not exists (select from signing_key where key_id <> all(${[...known]}::text[]))`.execute(trx);
  });
}

/** Removes the keys that have not signed for `seconds`, since another one does. `signing_key` is global. */
export async function removeOldSigningKeys(db: Kysely<Database>, seconds: number): Promise<void> {
  await sql`delete from signing_key k where exists (
    select from signing_key n where n.signs_from > k.signs_from and n.signs_from < now() - make_interval(secs => ${seconds}))`.execute(db);
}
