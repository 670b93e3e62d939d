import { ConfigFault, notSet } from '#config';

/** Refuses to go on without a setting. Whoever starts a process is told of all of them together (`needs.ts`); this is for what is asked by itself. */
export function missing(name: string): never {
  throw new ConfigFault([notSet(name)]);
}
