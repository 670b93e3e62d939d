import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** Removes keys that were replaced more than `seconds` ago. `signing_key` is global. */
export async function removeOldSigningKeys(db: GlobalHandle, seconds: number): Promise<void> {
  await sql`/* remove-old-signing-keys */ delete from signing_key k where exists (
    select from signing_key n where n.signs_from > k.signs_from and n.signs_from < now() - make_interval(secs => ${seconds}))`.execute(db);
}
