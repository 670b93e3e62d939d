import { readIsolationFaults } from './queries/maintenance/read-isolation-faults.ts';
import type { Store } from './store.ts';

/** Throws, naming each hole, unless the database keeps tenants apart. Asked before a process answers anybody. */
export async function assertIsolated(store: Store): Promise<void> {
  const faults = await readIsolationFaults(store.global);
  if (faults.length > 0) throw new Error(`The database does not isolate workspaces: ${faults.join('; ')}. The service does not start.`);
}
