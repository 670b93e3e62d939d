import { CliError, type ExitCode, exitCodes } from '../exit.ts';
import type { HttpResponse } from './http-client.ts';

/** An error response of the server (RFC 9457 problem document, or any other body). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly headers: HttpResponse['headers'];
  /** The whole problem document. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(what: string, response: HttpResponse) {
    const problem = parseProblem(response);
    const detail =
      typeof problem['detail'] === 'string'
        ? problem['detail']
        : typeof problem['title'] === 'string'
          ? problem['title']
          : `HTTP ${response.status}`;
    super(`${what}: ${detail}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = typeof problem['code'] === 'string' ? problem['code'] : `http-${response.status}`;
    this.requestId = typeof problem['request_id'] === 'string' ? problem['request_id'] : null;
    this.headers = response.headers;
    this.problem = problem;
  }

  /** Whether the server asks to retry later, or had an internal error. */
  get retryable(): boolean {
    return this.status === 429 || this.status >= 500 || retryableCodes.has(this.code);
  }
}

/**
 * Codes of problems with bytes that were damaged in transfer or stopped arriving. A retry of the
 * same request can succeed.
 */
const retryableCodes = new Set(['digest-mismatch', 'corrupt-encoding', 'body-timeout', 'body-incomplete']);

function parseProblem(response: HttpResponse): Record<string, unknown> {
  if (!response.headers['content-type']?.includes('json')) return {};
  try {
    const value: unknown = JSON.parse(response.body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // not JSON: only the status is known
  }
}

/** Codes of limit errors that cannot be recognized by their status. */
const overLimitCodes = new Set(['name-too-long', 'quota-exceeded']);

/** The exit code for an error response. */
export function exitOf(error: ApiError): ExitCode {
  if (error.status === 401) return exitCodes.notSignedIn;
  if (error.status === 404) return exitCodes.notFound;
  if (error.status === 413 || error.status === 429 || overLimitCodes.has(error.code)) return exitCodes.overLimit;
  return exitCodes.failed;
}

/** The same error, as an error that ends the command. */
export function toCliError(error: ApiError): CliError {
  const signIn = error.status === 401 ? ` Sign in with \`plotline login\`, or check PLOTLINE_TOKEN.` : '';
  return new CliError(exitOf(error), error.message + signIn, { code: error.code, requestId: error.requestId, cause: error });
}
