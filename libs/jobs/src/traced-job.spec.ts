import { afterEach, describe, expect, it } from 'vitest';
import { type Span, type SpanAttributes, type Tracer, useTracer } from '#telemetry';
import { jobOf } from './testing/index.ts';
import { rememberTrace, runTraced, setTrace, traceOf } from './traced-job.ts';

const trace = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

interface Ended {
  readonly parent: string | undefined;
  readonly attributes: SpanAttributes | undefined;
  readonly failed: string | null | undefined;
}

/** Records the spans that have ended. The active span is the request with {@link trace}. */
function recordingTracer(): { tracer: Tracer; ended: Ended[] } {
  const ended: Ended[] = [];
  const span = (parent?: string): Span => ({
    traceparent: trace,
    isRecording: true,
    run: (work) => work(),
    addStep: () => undefined,
    end: ({ attributes, failed }) => void ended.push({ parent, attributes, failed }),
  });
  return { tracer: { start: (_name, { parent }) => span(parent), active: () => span() }, ended };
}

describe('a traced job', () => {
  afterEach(() => useTracer(null));

  it('continues the trace of the request that offered it, once', async () => {
    const { tracer, ended } = recordingTracer();
    useTracer(tracer);
    const job = jobOf(1, 1);
    rememberTrace(job);
    expect(Object.keys(job)).toEqual(Object.keys(jobOf(1, 1)));
    expect(traceOf(job)).toBe(trace);
    await runTraced(async () => 'more', job);
    await runTraced(async () => 'idle', job);
    await expect(runTraced(() => Promise.reject(new Error('no')), job)).rejects.toThrow('no');
    expect(ended).toEqual([
      { parent: trace, attributes: { 'plotline.ingest.outcome': 'more' }, failed: null },
      { parent: undefined, attributes: { 'plotline.ingest.outcome': 'idle' }, failed: null },
      { parent: undefined, attributes: { 'plotline.ingest.outcome': 'failed' }, failed: 'failed' },
    ]);
  });

  it('ignores a trace from the queue that is not a valid one', () => {
    useTracer(recordingTracer().tracer);
    for (const invalid of [undefined, 7, {}, '', 'x'.repeat(1_000_000), `${trace}\n`, trace.toUpperCase().replace('00', 'FF')]) {
      const job = jobOf(1, 2);
      setTrace(job, invalid);
      expect(traceOf(job)).toBeUndefined();
    }
    const job = jobOf(1, 3);
    setTrace(job, trace);
    expect(traceOf(job)).toBe(trace);
  });

  it('is an ordinary job while nothing is recorded', async () => {
    const job = jobOf(1, 4);
    rememberTrace(job);
    setTrace(job, trace);
    expect(traceOf(job)).toBeUndefined();
    expect(await runTraced(async () => 'idle', job)).toBe('idle');
  });
});
