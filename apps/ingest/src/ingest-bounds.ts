import type { Config } from '#config';
import type { IngestOptions } from './ingest-run/ingest-run.ts';

/** How much one transaction of a run takes, as the settings say. */
export function ingestBounds({ ingest: { batchBytes, tailPoints, tailMinutes } }: Config): IngestOptions {
  return { maxBatchBytes: batchBytes, tail: { maxPoints: tailPoints, maxAgeMs: tailMinutes * 60_000 } };
}
