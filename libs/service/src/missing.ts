import { ConfigFault, notSet } from '#config';

/**
 * Throws for a missing setting. When a process starts, all missing settings are reported together
 * (`needs.ts`); this function is for a single one.
 */
export function missing(name: string): never {
  throw new ConfigFault([notSet(name)]);
}
