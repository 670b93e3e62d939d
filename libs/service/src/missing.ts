import { StartFault } from './start-fault.ts';

/** Refuses to start without a setting. */
export function missing(name: string): never {
  throw new StartFault(`${name} is not set, and this process needs it. docs/configuration.md says what it is.`);
}
