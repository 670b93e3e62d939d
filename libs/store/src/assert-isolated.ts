import { readIsolationFaults } from './queries/maintenance/read-isolation-faults.ts';
import type { Store } from './store.ts';

/**
 * Throws unless the database isolates tenants. The error names each gap. Runs before a process
 * responds to any request.
 */
export async function assertIsolated(store: Store): Promise<void> {
  const faults = await readIsolationFaults(store.global);
  if (faults.length > 0) throw new Error(`The database does not isolate workspaces: ${faults.join('; ')}. The service does not start.`);
}
