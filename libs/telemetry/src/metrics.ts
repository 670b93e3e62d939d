import { collectDefaultMetrics, Counter, Gauge, type GaugeConfiguration, Histogram, Registry } from 'prom-client';
import { isTracing, noteStep, type Span, startSpan } from './tracing.ts';

/*
 * Metrics of the process, in the Prometheus format. Labels are defined by the program, never by
 * users: they contain no tenants and no names.
 */

const registry = new Registry();

const requestSeconds = new Histogram({
  name: 'plotline_http_request_duration_seconds',
  help: 'From the head of a request to the end of its answer.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [registry],
});

const callSeconds = new Histogram({
  name: 'plotline_grpc_call_duration_seconds',
  help: 'From the first message of a call to its status.',
  labelNames: ['method', 'status'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [registry],
});

const waitSeconds = new Histogram({
  name: 'plotline_share_wait_seconds',
  help: 'Time that requests waited for a permit, by resource and class of caller.',
  labelNames: ['resource', 'class'] as const,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [registry],
});

const shareRejections = new Counter({
  name: 'plotline_share_refusals_total',
  help: 'Requests that got no permit, by resource and class of caller.',
  labelNames: ['resource', 'class'] as const,
  registers: [registry],
});

const rejections = new Counter({
  name: 'plotline_rejected_requests_total',
  help: 'Requests that were answered with a problem, by its code.',
  labelNames: ['code'] as const,
  registers: [registry],
});

const publishSeconds = new Histogram({
  name: 'plotline_publish_delay_seconds',
  help: 'From the acknowledgement of bytes until readers see their points.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300],
  registers: [registry],
});

const objectSeconds = new Histogram({
  name: 'plotline_object_store_duration_seconds',
  help: 'One attempt at a request to the object store, by operation and result.',
  labelNames: ['operation', 'result'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

const roundSeconds = new Histogram({
  name: 'plotline_round_duration_seconds',
  help: 'One round of periodic work that succeeded.',
  labelNames: ['round'] as const,
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  registers: [registry],
});

const roundFailures = new Counter({
  name: 'plotline_round_failures_total',
  help: 'Rounds of periodic work that failed.',
  labelNames: ['round'] as const,
  registers: [registry],
});

const roundSuccess = new Gauge({
  name: 'plotline_round_last_success_timestamp_seconds',
  help: 'When a round of periodic work last succeeded, in seconds since 1970.',
  labelNames: ['round'] as const,
  registers: [registry],
});

const counters = {
  acknowledgedBytes: counter('plotline_acknowledged_bytes_total', 'Bytes of event files that were acknowledged.'),
  ingestedBytes: counter('plotline_ingested_bytes_total', 'Bytes of event files that were ingested.'),
  ingestedPoints: counter('plotline_ingested_points_total', 'Points, tensors and blobs that were stored.'),
  ingestRuns: counter('plotline_ingest_jobs_total', 'Ingest transactions that were committed.'),
  ingestFailures: counter('plotline_ingest_failures_total', 'Ingest transactions that failed and were rolled back.'),
  removedOrphans: counter('plotline_removed_orphans_total', 'Objects without references that were removed.'),
  endedFiles: counter('plotline_ended_files_total', 'Event files that ended early, because their bytes are lost or cannot be read.'),
  longRequests: counter('plotline_long_requests_total', 'Event streams and long polls that ended; they are in no histogram of latencies.'),
  lostBytesFound: counter('plotline_lost_bytes_found_total', 'Reads of stored bytes that were missing or damaged.'),
} as const;

/** The counters of {@link count}. */
export type CounterName = keyof typeof counters;

/** Adds to a counter of the process. */
export function count(name: CounterName, amount = 1): void {
  counters[name].inc(amount);
}

/** Records a completed HTTP request. `route`: as declared, e.g. `/api/v1/files/:fileId`. */
export function countRequest(request: { readonly method: string; readonly route: string; readonly status: number }, seconds: number): void {
  requestSeconds.observe({ ...request, status: String(request.status) }, seconds);
}

/** Counts a response with this problem code. */
export function countRejection(code: string): void {
  rejections.inc({ code });
}

/** Records how long after their acknowledgement bytes became visible. */
export function observePublishDelay(seconds: number): void {
  publishSeconds.observe(seconds);
}

/** An observation from a worker thread, which its process records. */
export interface ObjectStoreAttempt {
  readonly operation: string;
  readonly result: 'ok' | 'failed';
  readonly seconds: number;
}

let passOn: ((attempt: ObjectStoreAttempt) => void) | null = null;

/**
 * For worker threads: passes observations to the process instead of keeping them, because nobody
 * reads a thread's metrics.
 */
export function passObservationsOn(to: (attempt: ObjectStoreAttempt) => void): void {
  passOn = to;
}

/**
 * Records that an attempt to send a request to the object store ended. `operation` is a fixed name
 * defined by the program. `where`: a thread has already added its attempts to the trace.
 */
export function observeObjectStore(attempt: ObjectStoreAttempt, where: 'here' | 'in-thread' = 'here'): void {
  if (where === 'here' && isTracing()) noteStep('object', attempt.operation, attempt.seconds, attempt.result !== 'ok');
  if (passOn) passOn(attempt);
  else objectSeconds.observe({ operation: attempt.operation, result: attempt.result }, attempt.seconds);
}

/**
 * Rounds are less than a second apart and usually find no work, so one round of each kind is traced
 * in this time.
 */
const traceRoundEveryMs = 10_000;
const roundTracedAt = new Map<string, number>();

/**
 * Runs one round of periodic work, and records its duration and the time of its success, or counts
 * its failure. One round
 * of each kind in ten seconds is a span.
 */
export async function measureRound<T>(round: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  let span: Span | null = null;
  if (isTracing() && since - (roundTracedAt.get(round) ?? -Infinity) >= traceRoundEveryMs) {
    roundTracedAt.set(round, since);
    span = startSpan(`round ${round}`, { kind: 'internal' });
  }
  let failed: string | null = 'round-failed';
  let result: T;
  try {
    result = await (span ? span.run(work) : work());
    failed = null;
  } finally {
    span?.end({ failed });
    if (failed !== null) roundFailures.inc({ round });
  }
  roundSeconds.observe({ round }, (performance.now() - since) / 1_000);
  roundSuccess.set({ round }, Date.now() / 1_000);
  return result;
}

/**
 * Records a completed gRPC call. `method` is as in libs/protocols; `status` is the number of its
 * code.
 */
export function countCall(call: { readonly method: string; readonly status: number }, seconds: number): void {
  callSeconds.observe({ ...call, status: String(call.status) }, seconds);
}

/**
 * Records that a request got a permit after waiting. `resource` and `callers` are fixed names
 * defined by the program.
 */
export function observeWait(resource: string, callers: string, seconds: number): void {
  waitSeconds.observe({ resource, class: callers }, seconds);
}

/** Counts a request that got no permit. */
export function countShareRejection(resource: string, callers: string): void {
  shareRejections.inc({ resource, class: callers });
}

/**
 * Registers a value that is read when metrics are collected; null if it is unknown, so that it is
 * omitted. The last reader registered for a name wins.
 */
export function gauge(name: string, help: string, read: () => number | null): void {
  register({
    name,
    help,
    collect() {
      const value = read();
      this.reset();
      if (value === null) this.remove();
      else this.set(value);
    },
  });
}

/**
 * Registers several values of one kind, distinguished by a fixed label that the program defines;
 * otherwise like {@link gauge}.
 */
export function gauges(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
  register({
    name,
    help,
    labelNames: [label],
    collect() {
      this.reset();
      for (const [value, number] of Object.entries(read())) this.set({ [label]: value }, number);
    },
  });
}

/**
 * Registers several values, distinguished by labels that the program defines; otherwise like {@link
 * gauge}.
 */
export function gaugeTable<Label extends string>(
  name: string,
  help: string,
  labels: readonly Label[],
  read: () => Iterable<readonly [Readonly<Record<Label, string>>, number]>,
): void {
  register({
    name,
    help,
    labelNames: [...labels],
    collect() {
      this.reset();
      for (const [values, number] of read()) this.set({ ...values }, number);
    },
  });
}

function register(wanted: GaugeConfiguration<string>): void {
  registry.removeSingleMetric(wanted.name);
  registry.registerMetric(new Gauge({ ...wanted, registers: [] }));
}

let watching = false;

/** Adds Node's metrics of the process: memory, CPU time, event loop delay, garbage collection. */
export function watchProcess(): void {
  if (watching) return;
  watching = true;
  collectDefaultMetrics({ register: registry });
}

/** All metrics as text, with its media type. */
export async function renderMetrics(): Promise<{ readonly contentType: string; readonly text: string }> {
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function counter(name: string, help: string): Counter {
  return new Counter({ name, help, registers: [registry] });
}
