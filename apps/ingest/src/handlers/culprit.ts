import type { IngestRun } from '#jobs';
import { readRunFiles, type RunFailures, type TenantScope } from '#store';
import { IngestThreadDied, readingText } from '../ingest-pool.ts';
import type { RecordPlace, WitnessedRecords } from '../ingest-run/ingest-failure.ts';
import { canBeRead } from '../ingest-run/pending-file.ts';

/** Attempts at a run before its batches are halved to find the culprit record. */
export const triesBeforeHalving = 5;
/** A thread can also die because of the machine. These attempts take half a minute in total. */
const triesBeforeBlame = 9;

/** The culprit and its kind: a record that cannot be stored, or all bytes from an offset on. */
export interface Culprit extends RecordPlace {
  readonly fails: 'to be stored' | 'to be read';
}

/**
 * Finds the record that fails every time when tried alone. Null if no culprit is known yet.
 * `work.failures` includes this failure. A thread counts as killed by a record only if it reported
 * that record, and the previous one reported the same: when memory is low, threads die anywhere, or
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
