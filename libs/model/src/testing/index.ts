import type { ExperimentId, TenantId } from '../ids.ts';

/** Any text as the id of a workspace. */
export function tenantIdOf(text: string): TenantId {
  return text as TenantId;
}

/** Any text as the id of an experiment. */
export function experimentIdOf(text: string): ExperimentId {
  return text as ExperimentId;
}
