import { setTimeout as sleep } from 'node:timers/promises';
import type { ExperimentId } from '#model';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { CliError, exitCodes } from '../exit.ts';
import { intField, type Json } from '../http/json.ts';

/** One request waits this long at the server (api.md: at most 60 s). */
const waitSeconds = 30;
/** If no byte becomes visible for this long, the service is considered stuck. */
const stuckAfterMs = 10 * 60_000;

/**
 * Waits until everything acknowledged up to `epoch` is visible. Returns the frontier at that time.
 */
export async function waitUntilVisible(
  api: Api,
  experimentId: ExperimentId,
  epoch: number,
  options: { say: (line: string) => void; signal: AbortSignal },
): Promise<Json> {
  const path = `/experiments/${experimentId}/frontier`;
  let visibleBytes = -1;
  let movedAt = performance.now();
  for (;;) {
    try {
      return await api.get(`${path}?wait_for=${epoch}&timeout=${waitSeconds}`, 'Waiting until everything is visible', {
        signal: options.signal,
        timeoutMs: (waitSeconds + 30) * 1000,
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not-visible-yet') throw error;
    }
    const frontier = await api.get(path, 'Reading the frontier', { signal: options.signal });
    const now = intField(frontier, 'visible_bytes');
    if (now !== visibleBytes) movedAt = performance.now();
    visibleBytes = now;
    if (performance.now() - movedAt > stuckAfterMs) {
      throw new CliError(exitCodes.failed, 'Everything is uploaded and durable, but no more data has become visible for ten minutes.', {
        code: 'not-visible-yet',
      });
    }
    options.say(`Uploaded; the service still has ${intField(frontier, 'acknowledged_bytes') - now} bytes to read.`);
    await sleep(100, undefined, { signal: options.signal });
  }
}
