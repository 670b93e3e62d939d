/**
 * Stable codes for all errors (RFC 9457 `code`). They are independent of the protocol: each app
 * maps them to a status in its own `problem.filter.ts`, and a code without a mapping does not
 * compile.
 */
export const problemCodes = [
  'bad-request',
  'unauthenticated',
  'forbidden',
  'not-found',
  'method-not-allowed',
  'experiment-not-found',
  'file-not-found',
  'blob-not-found',
  'blob-exists',
  'deletion-not-found',
  'export-not-found',
  'export-not-finished',
  'token-not-found',
  'member-not-found',
  'invitation-not-found',
  'workspace-not-found',
  'already-a-member',
  'last-owner',
  'service-account-not-found',
  'workload-not-found',
  'invalid-grant',
  'invalid-scope',
  'issuer-unavailable',
  'sign-in-failed',
  'not-invited',
  'provider-unavailable',
  'authorization-pending',
  'slow-down',
  'access-denied',
  'device-code-expired',
  'share-link-not-found',
  'saved-view-not-found',
  'report-not-found',
  'report-changed',
  'citation-not-found',
  'experiment-frozen',
  'run-deleted',
  'original-gone',
  'stored-bytes-lost',
  'unknown-field',
  'invalid-name',
  'name-too-long',
  'invalid-filter',
  'invalid-page-token',
  'idempotency-key-reused',
  'range-conflict',
  'window-exceeded',
  'digest-mismatch',
  'digest-missing',
  'unsupported-encoding',
  'corrupt-encoding',
  'body-too-large',
  'body-timeout',
  'body-incomplete',
  'checksum-mismatch',
  'incomplete-file',
  'answer-too-large',
  'not-visible-yet',
  'unsupported-media-type',
  'insufficient-storage',
  'store-unavailable',
  'not-ready',
  'rate-limited',
  'quota-exceeded',
  'workspace-suspended',
  'too-much-pending',
  'too-many-uploads',
  'client-too-old',
  'range-not-satisfiable',
  'internal',
] as const;

/** One of {@link problemCodes}. */
export type ProblemCode = (typeof problemCodes)[number];

/** A limit on the use of a resource, and how much of it is left. */
export interface Quota {
  /** Name of the limit: letters, digits and hyphens. */
  readonly policy: string;
  readonly quota: number;
  readonly unit: 'requests' | 'content-bytes' | 'concurrent-requests';
  readonly left: number;
  /** Seconds until more may be available; null if unknown. */
  readonly seconds: number | null;
  /** The window of `quota` in seconds, if it is replenished with time. */
  readonly windowSeconds?: number;
}

/** Optional properties of a {@link Problem}. */
export interface ProblemOptions {
  readonly cause?: unknown;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** When to retry; the default depends on the code. */
  readonly retryAfterSeconds?: number;
  /** The limits that caused the error. */
  readonly quotas?: readonly Quota[];
}

/**
 * An error with a stable code. `message` (the problem's `detail`) is for the sender of the request:
 * it names the object and the next step. `cause` is for the operator and never leaves the service.
 * `extra` contains further members of the problem document.
 *
 * ```ts
 * const cause = new Error('connect ECONNREFUSED 10.0.0.7:5432');
 * const problem = new Problem('store-unavailable', 'The database does not respond. Retry.', { cause, retryAfterSeconds: 2 });
 * assert.equal(problem.code, 'store-unavailable'); // for programs
 * assert.equal(problem.message, 'The database does not respond. Retry.'); // for people
 * assert.equal(problem.message.includes('10.0.0.7'), false); // the address is for the log
 * ```
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | null;
  readonly quotas: readonly Quota[];

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.extra = options.extra ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.quotas = options.quotas ?? [];
  }
}
