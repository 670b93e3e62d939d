import { activeSpan, isTracing, startSpan } from '#telemetry';
import type { IngestHandler } from './dispatcher.ts';
import type { IngestOutcome, IngestRun } from './ingest-run.job.ts';

/**
 * The trace of the request that offered a job. It is kept beside the job, because the payload has
 * only ids.
 */
const traces = new WeakMap<IngestRun, string>();

/** Validates a W3C trace context: it comes from Redis, which others may write to. */
const traceparent = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** If the current request is traced, stores its trace for the job that it offers. */
export function rememberTrace(job: IngestRun): void {
  if (!isTracing()) return;
  const span = activeSpan();
  if (span) traces.set(job, span.traceparent);
}

/** The trace that {@link rememberTrace} or {@link setTrace} set for the job. */
export function traceOf(job: IngestRun): string | undefined {
  return traces.get(job);
}

/** Sets the trace of a job that came through a queue. An invalid trace is ignored. */
export function setTrace(job: IngestRun, trace: unknown): void {
  if (isTracing() && typeof trace === 'string' && traceparent.test(trace)) traces.set(job, trace);
}

/**
 * Runs the job as a span in the trace of the request that offered it. A job ingests everything that
 * is pending in its run, so it may serve many requests. It uses the trace of the first offer.
 */
export async function runTraced(handler: IngestHandler, job: IngestRun): Promise<IngestOutcome> {
  const span = isTracing() ? startSpan('ingest-run', { kind: 'consumer', parent: traces.get(job) }) : null;
  traces.delete(job); // offered again, it continues no old trace: a live run would never end it
  if (!span) return handler(job);
  let failed: string | null = 'failed';
  let outcome: IngestOutcome | 'failed' = 'failed';
  try {
    outcome = await span.run(() => handler(job));
    failed = null;
    return outcome;
  } finally {
    span.end({ attributes: { 'plotline.ingest.outcome': outcome }, failed });
  }
}
