import { CliError, type ExitCode, exitCodes } from '../exit.ts';
import type { Answer } from './http-client.ts';

/** A refusal of the server (RFC 9457 problem document, or whatever stood in its place). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly headers: Answer['headers'];
  /** The whole problem document. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(what: string, answer: Answer) {
    const problem = parseProblem(answer);
    const detail =
      typeof problem['detail'] === 'string'
        ? problem['detail']
        : typeof problem['title'] === 'string'
          ? problem['title']
          : `HTTP ${answer.status}`;
    super(`${what}: ${detail}`);
    this.name = 'ApiError';
    this.status = answer.status;
    this.code = typeof problem['code'] === 'string' ? problem['code'] : `http-${answer.status}`;
    this.requestId = typeof problem['request_id'] === 'string' ? problem['request_id'] : null;
    this.headers = answer.headers;
    this.problem = problem;
  }

  /** The server asks to come back later, or had a fault of its own. */
  get retryable(): boolean {
    return this.status === 429 || this.status >= 500 || retryableCodes.has(this.code);
  }
}

/** The bytes were hurt on their way, or stopped coming: the same request again can do better. */
const retryableCodes = new Set(['digest-mismatch', 'corrupt-encoding', 'body-timeout', 'body-incomplete']);

function parseProblem(answer: Answer): Record<string, unknown> {
  if (!answer.headers['content-type']?.includes('json')) return {};
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // not JSON, whatever it says: the status is all there is
  }
}

/** Refusals for a bound whose status says something else. */
const overLimitCodes = new Set(['name-too-long', 'quota-exceeded']);

/** The exit that a refusal leads to. */
export function exitOf(error: ApiError): ExitCode {
  if (error.status === 401) return exitCodes.notSignedIn;
  if (error.status === 404) return exitCodes.notFound;
  if (error.status === 413 || error.status === 429 || overLimitCodes.has(error.code)) return exitCodes.overLimit;
  return exitCodes.failed;
}

/** The same refusal as an end of the command. */
export function toCliError(error: ApiError): CliError {
  const signIn = error.status === 401 ? ` Sign in with \`plotline login\`, or check PLOTLINE_TOKEN.` : '';
  return new CliError(exitOf(error), error.message + signIn, { code: error.code, requestId: error.requestId, cause: error });
}
