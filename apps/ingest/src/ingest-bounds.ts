import type { Config } from '#config';
import type { IngestOptions } from './ingest-run/run-ingest.ts';

/** Limits of one transaction of a run, from the settings. */
export function ingestBounds({ ingest: { batchBytes, tailPoints, tailMinutes } }: Config): IngestOptions {
  return { maxBatchBytes: batchBytes, tail: { maxPoints: tailPoints, maxAgeMs: tailMinutes * 60_000 } };
}
