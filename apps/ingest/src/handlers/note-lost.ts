import type { IngestOutcome, IngestRun } from '#jobs';
import { endFiles, type IngestTransaction, lostReason, type RunFailures, writeRunFailure } from '#store';
import type { LostBytes } from '../ingest-run/ingest-run.ts';
import { pause, triesFor } from './patience.ts';

const patience = { firstMs: 1_000, maxMs: 30_000 };

/** How a run's failure begins that is about lost bytes. Such failures are counted by themselves: they say nothing of records. */
export const lostPrefix = 'stored bytes are lost: ';

/**
 * Ends files whose stored bytes are lost, once tries have found just that, one after the other, for `believeAfterMs`. Where another failure comes between, or
 * the store did not answer, they are counted anew: only what is found again and again is believed.
 */
export async function noteLost(
  trx: IngestTransaction['trx'],
  job: IngestRun,
  work: RunFailures,
  lost: readonly LostBytes[],
  believeAfterMs: number,
): Promise<IngestOutcome> {
  const message = lostText(lost);
  const failures = work.lastWas(message) ? work.failures + 1 : 1;
  if (failures < triesFor(believeAfterMs, patience)) {
    await writeRunFailure(trx, { ...job, failures, retryAfterMs: pause(failures, patience), batchBytes: null, message });
    return 'busy';
  }
  const reason = lostReason;
  const told = `and so it was found ${failures} times. What came before is kept.`;
  await endFiles(
    trx,
    job,
    lost.map((place) => ({ ...place, reason, detail: `The bytes that were acknowledged cannot be read: ${place.detail}, ${told}` })),
  );
  return 'more';
}

/** What was found, in words: of the first file, and of how many more. */
export function lostText(lost: readonly LostBytes[]): string {
  const more = lost.length > 1 ? ` (and ${lost.length - 1} more)` : '';
  return `${lostPrefix}${lost[0]!.name}: ${lost[0]!.detail}${more}`;
}
