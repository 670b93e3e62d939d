import type { IngestOutcome, IngestRun } from '#jobs';
import { endFiles, lostReason, type RunFailures, writeRunFailure, type TenantScope } from '#store';
import { count } from '#telemetry';
import type { LostBytes } from '../ingest-run/ingest-failure.ts';
import { pause, triesFor } from './backoff.ts';

const backoff = { firstMs: 1_000, maxMs: 30_000 };

/**
 * Prefix of the failures of a run that are about lost bytes. These are counted separately: they say
 * nothing about records.
 */
export const lostPrefix = 'stored bytes are lost: ';

/**
 * Ends files whose stored bytes are lost, once consecutive attempts have found exactly that for
 * `believeAfterMs`. Another failure in between, or a store that did not answer, restarts the count:
 * only a repeated finding is trusted.
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
  const times = `in ${failures} attempts. What came before is kept.`;
  await endFiles(
    scope,
    job,
    lost.map((place) => ({ ...place, reason, detail: `The bytes that were acknowledged cannot be read: ${place.detail}, ${times}` })),
  );
  count('endedFiles', lost.length);
  return 'more';
}

/** The finding in words: for the first file, and how many others. */
export function lostText(lost: readonly LostBytes[]): string {
  const more = lost.length > 1 ? ` (and ${lost.length - 1} more)` : '';
  return `${lostPrefix}${lost[0]!.name}: ${lost[0]!.detail}${more}`;
}
