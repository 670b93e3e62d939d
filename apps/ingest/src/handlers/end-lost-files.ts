import type { IngestOutcome, IngestRun } from '#jobs';
import { endFiles, lostReason, type RunFailures, writeRunFailure, type TenantScope } from '#store';
import { count } from '#telemetry';
import type { LostBytes } from '../ingest-run/ingest-failure.ts';
import { pause, triesFor } from './backoff.ts';

const backoff = { firstMs: 1_000, maxMs: 30_000 };

/**
 * Prefix of a run's failures that are about lost bytes. These failures are counted separately,
 * because no record caused them.
 */
export const lostPrefix = 'stored bytes are lost: ';

/**
 * Ends files whose stored bytes are lost, once consecutive attempts have found exactly the same
 * loss for `believeAfterMs`. Any other failure in between, such as an unresponsive store, restarts
 * the count: only a repeated finding is trusted.
 */
export async function endLostFiles(
  scope: TenantScope,
  job: IngestRun,
  work: RunFailures,
  lost: readonly LostBytes[],
  believeAfterMs: number,
): Promise<IngestOutcome> {
  const message = lostText(lost);
  const failures = work.lastWas(message) ? work.failures + 1 : 1;
  if (failures < triesFor(believeAfterMs, backoff)) {
    await writeRunFailure(scope, { ...job, failures, retryAfterMs: pause(failures, backoff), batchBytes: null, message });
    return 'busy';
  }
  const reason = lostReason;
  const times = `in ${failures} attempts. The bytes before them are kept.`;
  await endFiles(
    scope,
    job,
    lost.map((place) => ({ ...place, reason, detail: `The acknowledged bytes cannot be read: ${place.detail}, ${times}` })),
  );
  count('endedFiles', lost.length);
  return 'more';
}

/** Describes the finding for the first file, and says how many other files there are. */
export function lostText(lost: readonly LostBytes[]): string {
  const more = lost.length > 1 ? ` (and ${lost.length - 1} more)` : '';
  return `${lostPrefix}${lost[0]!.name}: ${lost[0]!.detail}${more}`;
}
