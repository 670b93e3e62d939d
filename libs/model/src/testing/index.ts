import type { TenantId } from '../ids.ts';

/** Any text as the id of a workspace. */
export function tenantIdOf(text: string): TenantId {
  return text as TenantId;
}
