import type { NextFunction, Request, Response } from 'express';
import { Logger } from '@nestjs/common';
import { count, countRequest, gauges, isTracing, type Span, startSpan } from '#telemetry';
import { FailureLog } from './failure-log.ts';
import { httpProblems } from './problem-status.ts';
import { contextOf, isFromProxy } from './request-context.ts';
import { withoutSecret } from './secret-paths.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Requests in progress: `stream` for event streams and long polls, whose duration is meaningless.
 */
const open = { request: 0, stream: 0 };
gauges('plotline_http_requests_in_flight', 'Requests in progress, by kind.', 'kind', () => ({ ...open }));

const failures = new FailureLog(new Logger('http'));

/** Whether the request is meant to wait for changes. */
function isStream(request: Request): boolean {
  return request.path.endsWith('/events') || (request.path.endsWith('/frontier') && 'wait_for' in request.query);
}

/**
 * Middleware: when a response has ended, counts the request by the route that served it (`none` if
 * there was no such route). Logs the request if it failed, and records it as a span if the process
 * exports traces.
 */
export function measureRequest(request: Request, response: Response, next: NextFunction): void {
  const since = performance.now();
  const kind = isStream(request) ? 'stream' : 'request';
  open[kind]++;
  const span = isTracing() ? startRequestSpan(request) : null;
  response.once('close', () => {
    open[kind]--;
    const durationMs = performance.now() - since;
    const { path } = (request.route as { path?: unknown } | undefined) ?? {};
    const route = typeof path === 'string' ? path : 'none';
    const method = methods.has(request.method) ? request.method : 'other';
    logIfFailed(request, response, { method, route, durationMs });
    if (span) endRequestSpan(span, request, { method, route, status: response.statusCode });
    if (kind === 'stream' && response.statusCode < 400) return count('longRequests');
    countRequest({ method, route, status: response.statusCode }, durationMs / 1_000);
  });
  if (span) span.run(next);
  else next();
}

/** Only a trusted proxy may set the request's trace and whether it is sampled. */
function startRequestSpan(request: Request): Span | null {
  return startSpan('HTTP', { kind: 'server', parent: isFromProxy(request) ? request.get('traceparent') : undefined });
}

function endRequestSpan(span: Span, request: Request, { method, route, status }: { method: string; route: string; status: number }): void {
  const { id, problem } = contextOf(request);
  const final = problem ? httpProblems[problem.code].status : status;
  span.end({
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': final,
      'plotline.request_id': id,
      ...(problem ? { 'plotline.problem': problem.code } : {}),
    },
    failed: final >= 500 ? (problem?.code ?? String(final)) : null,
  });
}

function logIfFailed(request: Request, response: Response, about: { method: string; route: string; durationMs: number }): void {
  const { problem, id } = contextOf(request);
  if (problem === null && response.statusCode < 400) return;
  const status = problem ? httpProblems[problem.code].status : response.statusCode;
  const partial = problem !== null && response.statusCode !== status;
  failures.write({ ...about, requestId: id, status, problem, partial, path: withoutSecret(request.path) });
}
