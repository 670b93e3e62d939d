import { AsyncResource } from 'node:async_hooks';
import { inBrief } from './error-text.ts';
import type { Logger } from './logger.ts';
import { useTracer } from './tracing.ts';
import { serviceVersion } from './version.ts';

/** Failed exports are logged at most this often. */
const quietMs = 60_000;
/** How long a process waits for its last spans when it ends. */
const closeMs = 3_000;

/** Tracing of a process. */
export interface Tracing {
  /** Sends the remaining spans, for at most three seconds, and stops. Never rejects. */
  close(): Promise<void>;
}

/**
 * Starts to record spans if OpenTelemetry's standard variables specify a collector
 * (`OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`); otherwise returns null,
 * and OpenTelemetry's packages are not loaded. The packages read the other `OTEL_*` variables from
 * the process environment. `service` is the name if `OTEL_SERVICE_NAME` is not set. Never throws: a
 * service without traces is better than none.
 */
export async function startTracing(environment: NodeJS.ProcessEnv, service: string, logger: Logger): Promise<Tracing | null> {
  if (!isWanted(environment)) return null;
  let failedAt = -Infinity;
  // Bound to this context, because exports run in the context of an arbitrary request, whose id is
  // unrelated.
  const onError = AsyncResource.bind((error: unknown): void => {
    const now = performance.now();
    if (now - failedAt < quietMs) return;
    failedAt = now;
    logger.warn('Traces cannot be exported. Requests are not affected.', { reason: inBrief(error) });
  });
  try {
    const { openTracer } = await import('./otel-tracer.ts');
    const { tracer, close } = await openTracer({ environment, service, version: serviceVersion(), onError });
    useTracer(tracer);
    logger.info('Traces are exported.');
    return {
      close: async () => {
        useTracer(null);
        const { promise: late, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, closeMs);
        await Promise.race([close().catch(onError), late]);
        clearTimeout(timer);
      },
    };
  } catch (error) {
    logger.warn('Traces are not exported.', { reason: inBrief(error) });
    return null;
  }
}

function isWanted(environment: NodeJS.ProcessEnv): boolean {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = environment;
  if (disabled?.toLowerCase() === 'true' || exporter === 'none') return false;
  return Boolean(environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
