import { type Context, context, ROOT_CONTEXT, type Span as OtelSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Span, SpanStart, Step, Tracer } from './tracing.ts';

/** Options of {@link openTracer}. */
export interface OtelOptions {
  /**
   * `OTEL_EXPORTER_OTLP_PROTOCOL`; the SDK reads all other variables from the process environment.
   */
  readonly environment: NodeJS.ProcessEnv;
  readonly service: string;
  readonly version: string;
  /** Called with export errors. */
  readonly onError: (error: unknown) => void;
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL };

/**
 * Records spans with OpenTelemetry and exports them with OTLP over HTTP. Loaded only by processes
 * that export traces. Throws for an unknown protocol.
 */
export async function openTracer({
  environment,
  service,
  version,
  onError,
}: OtelOptions): Promise<{ tracer: Tracer; close(): Promise<void> }> {
  setGlobalErrorHandler(onError);
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(await openExporter(environment))],
  });
  const otel = provider.getTracer('plotline', version);
  /** The span is found in the context that {@link Span.run} sets. */
  const spans = new WeakMap<OtelSpan, Span>();

  const wrap = (span: OtelSpan, around: Context): Span => {
    const own: Span = {
      get traceparent() {
        const { traceId, spanId, traceFlags } = span.spanContext();
        return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
      },
      get isRecording() {
        return span.isRecording();
      },
      run: (work) => context.with(around, work),
      addStep: (step) => {
        if (span.isRecording()) addStep(step, around);
      },
      end: ({ name, attributes, failed }) => {
        if (name !== undefined) span.updateName(name);
        if (attributes) span.setAttributes(attributes);
        if (failed) span.setAttribute('error.type', failed).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
    spans.set(span, own);
    return own;
  };

  const addStep = ({ kind, name, endedAt, seconds, failed }: Step, around: Context): void => {
    const attributes =
      kind === 'statement' ? { 'db.system.name': 'postgresql', 'db.query.summary': name } : { 'plotline.object_store.operation': name };
    const child = otel.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: endedAt - seconds * 1_000 }, around);
    if (failed) child.setStatus({ code: SpanStatusCode.ERROR });
    child.end(endedAt);
  };

  const start = (name: string, { kind, parent, attributes = {} }: SpanStart): Span => {
    const remote = parent === undefined ? null : parseTraceParent(parent);
    const above = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
    const span = otel.startSpan(name, { kind: kinds[kind], attributes }, above);
    return wrap(span, trace.setSpan(above, span));
  };

  return {
    tracer: {
      start,
      active: () => {
        const span = trace.getActiveSpan();
        return (span && spans.get(span)) ?? null;
      },
    },
    close: async () => {
      await provider.shutdown();
      context.disable();
    },
  };
}

async function openExporter(environment: NodeJS.ProcessEnv): Promise<SpanExporter> {
  const protocol = environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || environment['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/protobuf';
  if (protocol === 'http/protobuf') return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
  if (protocol === 'http/json') return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
  throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}"; use "http/protobuf" or "http/json", usually on port 4318`);
}
