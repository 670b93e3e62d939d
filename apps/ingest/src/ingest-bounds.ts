import type { Config } from '#config';
import type { JoinBounds } from '#originals';
import type { IngestOptions } from './ingest-run/run-ingest.ts';

/**
 * Which segments of growing files are joined. Recent segments are not, because clients send recent
 * ranges again.
 */
export const joinBounds: JoinBounds = { minAgeMs: 60_000 };

/** Limits for one transaction on a run, from the settings. */
export function ingestBounds({ ingest: { batchBytes, tailPoints, tailMinutes } }: Config): IngestOptions {
  return { maxBatchBytes: batchBytes, tail: { maxPoints: tailPoints, maxAgeMs: tailMinutes * 60_000 } };
}
