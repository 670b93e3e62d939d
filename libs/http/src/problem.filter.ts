import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientGone } from '#admission';
import type { Caller } from '#auth';
import { Problem } from '#model';
import { mapStoreError, rejectionOfText } from '#store';
import { countRejection } from '#telemetry';
import { Credentials } from './credentials.ts';
import { respondEarly, rejectBody } from './early-response.ts';
import { oauthError } from './oauth-error.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { notSignedIn } from './permission.ts';
import { sendProblemPage } from './problem-page.ts';
import { httpProblems, problemType } from './problem-status.ts';
import { setRateLimit } from './rate-limit.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { RejectionLog } from './rejection-log.ts';
import { RouteTable } from './route-table.ts';

/** Converts all errors to `application/problem+json` (RFC 9457), or to a page for browsers. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('http');
  readonly #credentials: Credentials;
  readonly #routes: RouteTable;
  readonly #rejections: RejectionLog;

  constructor(credentials: Credentials, routes: RouteTable, rejections: RejectionLog) {
    this.#rejections = rejections;
    this.#credentials = credentials;
    this.#routes = routes;
  }

  /** Never rejects, because Nest does not await the result. */
  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (thrown instanceof ClientGone && response.destroyed) return;
    try {
      const problem = await this.#explain(thrown, request);
      const { caller, action } = contextOf(request);
      if (problem.code === 'forbidden' && caller && action) await this.#rejections.tell(caller, action, request.params['experimentId']);
      await this.#send(problem, request, response);
    } catch (error) {
      this.#log.error({ message: 'The response of a problem could not be sent.', request_id: contextOf(request).id, err: error });
      response.destroy();
    }
  }

  async #explain(thrown: unknown, request: Request): Promise<Problem> {
    const context = contextOf(request);
    const problem = toProblem(thrown);
    if (context.admitted || problem.code === 'unauthenticated' || problem.code === 'store-unavailable') return problem;
    // No handler was found, or the URL is malformed: callers without access learn only that.
    try {
      if (!(await this.#credentials.identify(request))) return notSignedIn();
      const allow = problem.code === 'not-found' || problem.code === 'method-not-allowed' ? this.#routes.methodsOf(request.path) : [];
      return allow.length > 0 ? methodNotAllowed(allow) : problem;
    } catch (error) {
      return toProblem(error); // the database is down: report that
    }
  }

  /**
   * Whether the request comes from a browser at an unknown address. Browsers prefer HTML
   * explicitly; API clients accept anything.
   */
  #wantsPage(request: Request): boolean {
    const { method, path } = request;
    return (
      method === 'GET' &&
      !path.startsWith('/api/') &&
      this.#routes.methodsOf(path).length === 0 &&
      request.accepts('json', 'html') === 'html'
    );
  }

  /**
   * The person of a signed-in browser; null for anyone else, or if the person cannot be looked up
   * now.
   */
  async #personOf(request: Request): Promise<Caller | null> {
    const caller = contextOf(request).caller ?? (await this.#credentials.identify(request).catch(() => null));
    return caller?.via === 'session' ? caller : null;
  }

  async #send(problem: Problem, request: Request, response: Response): Promise<void> {
    const context = contextOf(request);
    countRejection(problem.code);
    context.problem = problem; // logged when the response has ended
    if (response.headersSent) {
      response.destroy(); // a partial response must not look complete
      return;
    }
    for (const name of ['Content-Disposition', 'Content-Encoding', 'Content-Length', 'ETag', 'Last-Modified', 'Accept-Ranges'])
      response.removeHeader(name);
    response.setHeader('Cache-Control', 'no-store');
    rejectBody(request, response);
    const page = context.page || this.#wantsPage(request);
    sendHeaders(problem, response, page);
    const { basePath } = this.#credentials;
    if (page) await sendProblemPage(problem, { request, response, basePath, identify: () => this.#personOf(request) });
    else sendDocument(problem, context, response);
  }
}

function sendHeaders(problem: Problem, response: Response, page: boolean): void {
  const retryAfter = problem.retryAfterSeconds ?? httpProblems[problem.code].retryAfter;
  if (problem.quotas.length > 0) setRateLimit(response, problem.quotas);
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  if (problem.code === 'unauthenticated' && !page) response.setHeader('WWW-Authenticate', 'Bearer realm="plotline"');
  if (problem.code === 'method-not-allowed' && Array.isArray(problem.extra.allow))
    response.setHeader('Allow', problem.extra.allow.join(', '));
}

function sendDocument(problem: Problem, context: RequestContext, response: Response): void {
  const { status, title } = httpProblems[problem.code];
  const document = {
    type: problemType(problem.code),
    title,
    status,
    code: problem.code,
    detail: problem.message,
    request_id: context.id,
    ...problem.extra,
  };
  // RFC 6749, 5.2: clients read errors only from JSON of this type.
  const oauth = context.oauth && status < 500;
  response.status(status).setHeader('Content-Type', `application/${oauth ? 'json' : 'problem+json'}; charset=utf-8`);
  respondEarly(response, JSON.stringify(oauth ? { ...oauthError(problem), ...document } : document));
}

/**
 * Libraries and Nest itself throw errors other than problems; an unknown class is an internal
 * error.
 */
function toProblem(error: unknown): Problem {
  const thrown = rejectionOfText(error) ?? mapStoreError(error);
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof ClientGone)
    return new Problem('store-unavailable', 'A request that this one waited for was canceled. Try again.', { cause: thrown });
  if (thrown instanceof HttpException) {
    if (thrown.getStatus() === 404)
      return new Problem('not-found', 'There is nothing at this address. /api/v1/openapi.json lists all addresses.', {
        cause: thrown,
      });
    if (thrown.getStatus() < 500) return new Problem('bad-request', 'The address or the request cannot be read.', { cause: thrown });
  }
  return new Problem('internal', 'Something went wrong on our side. Try again. If it happens again, give the operator the request id.', {
    cause: thrown,
  });
}
