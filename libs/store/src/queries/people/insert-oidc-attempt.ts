import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/** A browser that has been redirected to the OpenID provider. */
export interface OidcAttempt {
  /** The path in our app where the person continues. */
  readonly next: string;
  /** The browser's signed-in person. Null if this is a sign-in. */
  readonly owner: { readonly tenantId: TenantId; readonly personId: string } | null;
}

/**
 * Stores an attempt by a browser that is redirected to the provider. Returns false if there are
 * already `atMost` attempts. Removes abandoned attempts. `oidc_attempt` is global.
 */
export async function insertOidcAttempt(
  db: GlobalHandle,
  attempt: OidcAttempt & { readonly attemptHash: Buffer; readonly lifetimeSeconds: number; readonly atMost: number },
): Promise<boolean> {
  await sql`/* insert-oidc-attempt */ delete from oidc_attempt where expires_at < now()`.execute(db);
  const { rows } = await sql<{ full: boolean }>`/* insert-oidc-attempt-oidc-attempt */
    select count(*) >= ${attempt.atMost}::int as full from oidc_attempt`.execute(db);
  if (rows[0]!.full) return false;
  await sql`
    /* insert-oidc-attempt-insert-oidc-attempt */
    insert into oidc_attempt (attempt_hash, next, tenant_id, person_id, expires_at)
    values (${attempt.attemptHash}, ${attempt.next}, ${attempt.owner?.tenantId ?? null}, ${attempt.owner?.personId ?? null},
      now() + make_interval(secs => ${attempt.lifetimeSeconds}::int))`.execute(db);
  return true;
}
