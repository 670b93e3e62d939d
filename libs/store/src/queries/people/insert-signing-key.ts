import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';
import type { StoredSigningKey } from './read-signing-keys.ts';

/** A key to be stored. */
export interface NewSigningKey extends Omit<StoredSigningKey, 'signsForSeconds'> {
  readonly signsInSeconds: number;
}

/**
 * Stores a key unless a key exists that is not among `known`. Such a key means that another process
 * has created one in the meantime. Only one process runs this at a time. `signing_key` is global.
 */
export async function insertSigningKey(db: GlobalHandle, key: NewSigningKey, known: readonly string[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`/* lock-signing-keys */ select pg_advisory_xact_lock(hashtext('plotline.signing_key'))`.execute(trx);
    await sql`/* insert-signing-key */ insert into signing_key (key_id, public_key, sealed_key, signs_from)
      select ${key.keyId}, ${JSON.stringify(key.publicKey)}::jsonb, ${key.sealedKey}, now() + make_interval(secs => ${key.signsInSeconds})
      where not exists (select from signing_key where key_id <> all(${[...known]}::text[]))`.execute(trx);
  });
}
