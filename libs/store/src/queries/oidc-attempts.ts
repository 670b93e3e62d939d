import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** A browser that is on its way to the OpenID provider and back. */
export interface OidcAttempt {
  /** The path of ours to go on at. */
  readonly next: string;
  /** Whoever is signed in there already; null: somebody signs in. */
  readonly owner: { readonly tenantId: string; readonly personId: string } | null;
}

/** Notes a browser that goes to the provider. False: `atMost` are on their way already. Those that never came back are removed. `oidc_attempt` is global. */
export async function insertOidcAttempt(
  db: Kysely<Database>,
  attempt: OidcAttempt & { readonly attemptHash: Buffer; readonly lifetimeSeconds: number; readonly atMost: number },
): Promise<boolean> {
  await sql`delete from oidc_attempt where expires_at < now()`.execute(db);
  const { rows } = await sql`
    insert into oidc_attempt (attempt_hash, next, tenant_id, person_id, expires_at)
    select ${attempt.attemptHash}::bytea, ${attempt.next}, ${attempt.owner?.tenantId ?? null}::uuid, ${attempt.owner?.personId ?? null}::uuid,
      now() + make_interval(secs => ${attempt.lifetimeSeconds}::int)
    where (select count(*) from oidc_attempt) < ${attempt.atMost}::int returning 1`.execute(db);
  return rows.length > 0;
}

/** Uses an attempt up; null when it is unknown, was used before, or is too old. Of two at once, one gets it. */
export async function takeOidcAttempt(db: Kysely<Database>, attemptHash: Buffer): Promise<OidcAttempt | null> {
  const { rows } = await sql<{ next: string; tenant_id: string | null; person_id: string | null; good: boolean }>`
    delete from oidc_attempt where attempt_hash = ${attemptHash}
    returning next, tenant_id, person_id, expires_at > now() as good`.execute(db);
  const row = rows[0];
  if (!row?.good) return null;
  const { next, tenant_id: tenantId, person_id: personId } = row;
  return { next, owner: tenantId !== null && personId !== null ? { tenantId, personId } : null };
}
