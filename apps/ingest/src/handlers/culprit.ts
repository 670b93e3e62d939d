import type { IngestRun } from '#jobs';
import { readRunFiles, type RunFailures, type TenantScope } from '#store';
import { IngestThreadDied, readingText } from '../ingest-pool.ts';
import type { RecordPlace, WitnessedRecords } from '../ingest-run/ingest-failure.ts';
import { canBeRead } from '../ingest-run/pending-file.ts';

/** Number of attempts at a run before its batches are halved to find the culprit record. */
export const triesBeforeHalving = 5;
/**
 * Number of attempts before a record is blamed for the death of threads. A thread can also die
 * because of the machine, so this number is larger. Together, the attempts take half a minute.
 */
const triesBeforeBlame = 9;

/**
 * The culprit and what fails: storing the record at this position, or reading the bytes from this
 * offset on.
 */
export interface Culprit extends RecordPlace {
  readonly fails: 'to be stored' | 'to be read';
}

/**
 * Finds the record that fails every time when it is tried alone. Null if no culprit is known yet.
 * `work.failures` includes this failure. A record counts as killing threads only if this thread and
 * the previous one both reported it before they died. When memory is low, threads die anywhere, or
 * before they read anything.
 */
export async function findCulprit(
  scope: TenantScope,
  { experimentId, runId }: IngestRun,
  { failures, batchBytes, lastBegan }: RunFailures,
  error: unknown,
  witnessed: WitnessedRecords | null,
): Promise<Culprit | null> {
  if (batchBytes !== 1) return null;
  if (failures > triesBeforeHalving && witnessed?.count === 1 && witnessed.first) return { fails: 'to be stored', ...witnessed.first };
  if (failures < triesBeforeBlame || !(error instanceof IngestThreadDied) || error.reading === null) return null;
  const { fileId, offset } = error.reading;
  if (!lastBegan(`${readingText(error.reading)}:`)) return null;
  const file = (await readRunFiles(scope, experimentId, runId)).find((one) => one.fileId === fileId);
  if (!file || !canBeRead(file) || file.parsedOffset !== offset) return null;
  return { fails: file.quarantined.has(offset) ? 'to be read' : 'to be stored', fileId, offset };
}
