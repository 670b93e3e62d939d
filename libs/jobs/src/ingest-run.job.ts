import { z } from 'zod';
import { isRunId, parseExperimentId, parseRunId, parseTenantId } from '#model';

/**
 * "This run has pending segments." Contains only ids, because the ledger records what is pending.
 * Idempotent, and harmless if there is nothing to do.
 */
export const ingestRunJob = {
  name: 'ingest-run',
  payload: z.strictObject({
    tenantId: z.uuid().transform(parseTenantId),
    experimentId: z
      .string()
      .regex(/^[A-Za-z0-9]{22}$/)
      .transform(parseExperimentId),
    runId: z.string().refine(isRunId).transform(parseRunId),
  }),
} as const;

/** Payload of {@link ingestRunJob}. */
export type IngestRun = z.infer<typeof ingestRunJob.payload>;

/**
 * The result of an attempt. `idle`: nothing is left to do now. `little`: the same, but there was
 * only a little to do, as in a live run. `more`: the transaction limit was reached; offer the run
 * again. `busy`: another worker has claimed the run, or the run is backing off; the sweeper will
 * offer it again.
 */
export type IngestOutcome = 'idle' | 'little' | 'more' | 'busy';
