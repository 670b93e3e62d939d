import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '#model';
import { mapStoreError, SchemaMismatch } from '#store';
import type { Logger } from '#telemetry';
import { StartFault } from './start-fault.ts';

const maxWaitMs = 30_000;
const retryMs = 500;

/** Logger and signal for a start that waits. */
export interface StartContext {
  readonly logger: Logger;
  readonly interrupted?: AbortSignal;
}

/**
 * Runs the work that a start needs from the database. If the database does not respond yet, or is
 * not migrated yet, waits for at most half a minute. When a machine boots, everything starts at the
 * same time. Throws `SchemaMismatch` and {@link StartFault}.
 */
export async function whenUsable<T>({ logger, interrupted }: StartContext, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (thrown) {
      const error = mapStoreError(thrown);
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const mayPass = error instanceof Problem || error instanceof SchemaMismatch;
      if (!mayPass) throw new StartFault(reason, { cause: thrown });
      if (performance.now() - since > maxWaitMs) {
        throw error instanceof SchemaMismatch ? error : new StartFault(`The database cannot be used: ${reason}`, { cause: thrown });
      }
      if (tries === 1) logger.warn('the database is not available yet; waiting', { reason });
    }
    await sleep(retryMs, undefined, { signal: interrupted }).catch(() => interrupted?.throwIfAborted());
  }
}
