import type { IngestRun } from '#jobs';
import { type IngestTransaction, readRunFiles, type RunFailures } from '#store';
import { IngestThreadDied, readingText } from '../ingest-pool.ts';
import { canBeRead, type RecordPlace, type WitnessedRecords } from '../ingest-run/ingest-run.ts';

/** Tries of a run before its batches are halved to find the record that is to blame. */
export const triesBeforeHalving = 5;
/** A thread can die for the machine's sake, too; these take half a minute. */
const triesBeforeBlame = 9;

/** What is to blame, and how: a record that cannot be stored, or reading on from an offset. */
export interface Blamed extends RecordPlace {
  readonly fails: 'to be stored' | 'to be read';
}

/**
 * What fails each time, when it was tried alone. Null: nothing is known to, yet. `work.failures` has this failure in it. A thread that died is known to have died over
 * a record only if it said so, and the one before it said the same: for want of memory, threads die wherever they are, or before they read anything.
 */
export async function blamed(
  trx: IngestTransaction['trx'],
  { tenantId, experimentId, runId }: IngestRun,
  { failures, batchBytes, lastBegan }: RunFailures,
  error: unknown,
  witnessed: WitnessedRecords | null,
): Promise<Blamed | null> {
  if (batchBytes !== 1) return null;
  if (failures > triesBeforeHalving && witnessed?.count === 1 && witnessed.first) return { fails: 'to be stored', ...witnessed.first };
  if (failures < triesBeforeBlame || !(error instanceof IngestThreadDied) || error.reading === null) return null;
  const { fileId, offset } = error.reading;
  if (!lastBegan(`${readingText(error.reading)}:`)) return null;
  const file = (await readRunFiles(trx, tenantId, experimentId, runId)).find((one) => one.fileId === fileId);
  if (!file || !canBeRead(file) || file.parsedOffset !== offset) return null;
  return { fails: file.quarantined.has(offset) ? 'to be read' : 'to be stored', fileId, offset };
}
