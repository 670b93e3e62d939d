import { ConfigFault, notSet } from '#config';

/**
 * Throws for a missing setting. At the start of a process all of them are reported together
 * (`needs.ts`); this is for a single one.
 */
export function missing(name: string): never {
  throw new ConfigFault([notSet(name)]);
}
