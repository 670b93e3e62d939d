import { type TenantScope, useAccessToken, useWorkloadIdentity } from '#store';
import { type Scope, scopes } from './caller.ts';
import type { Grant } from './jwt/access-jwt.ts';

/** A credential's owner and limits. */
export interface Bounds {
  readonly personId: string;
  readonly scopes: readonly Scope[];
  /** Null for the whole workspace. */
  readonly experiments: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/**
 * The current limits of an access token or a workload, regardless of its person's role. Null if the
 * credential is not valid.
 */
export async function readBounds(tenantScope: TenantScope, grant: Grant): Promise<Bounds | null> {
  const found =
    grant.kind === 'token'
      ? await useAccessToken(tenantScope, grant.id)
      : await useWorkloadIdentity(tenantScope, grant.id).then(
          (workload) => workload && { ...workload, experiments: null, expiresAt: null },
        );
  return found && { ...found, scopes: scopes.filter((scope) => found.scopes.includes(scope)) };
}
