import type { TenantId } from '#model';
import { type Caller, scopes } from '../caller.ts';

/** A person with all permissions in a workspace, and an unrestricted token. */
export function ownerOf(tenant: { readonly tenantId: TenantId; readonly personId: string }, less: Partial<Caller> = {}): Caller {
  const { tenantId, personId } = tenant;
  return {
    tenantId,
    personId,
    via: 'token',
    program: false,
    role: 'owner',
    scopes: new Set(scopes),
    experiments: null,
    view: null,
    ...less,
  };
}
export { LocalIssuer } from './local-issuer.ts';
