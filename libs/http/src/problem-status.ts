import type { ProblemCode } from '#model';

interface HttpProblem {
  readonly status: number;
  /** RFC 9457 `title`: the same for every occurrence of the code. */
  readonly title: string;
  /** `Retry-After` in seconds, if a retry makes sense. */
  readonly retryAfter?: number;
}

/** The HTTP form of each problem code. A code without an entry does not compile. */
export const httpProblems: Readonly<Record<ProblemCode, HttpProblem>> = {
  'bad-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'Not signed in' },
  forbidden: { status: 403, title: 'Not allowed' },
  'not-found': { status: 404, title: 'There is nothing at this address' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'experiment-not-found': { status: 404, title: 'No such experiment' },
  'file-not-found': { status: 404, title: 'No such file' },
  'blob-not-found': { status: 404, title: 'No such blob' },
  'blob-exists': { status: 409, title: 'Another blob exists' },
  'deletion-not-found': { status: 404, title: 'No such deletion' },
  'export-not-found': { status: 404, title: 'No such export' },
  'export-not-finished': { status: 409, title: 'The export has not finished' },
  'token-not-found': { status: 404, title: 'No such token' },
  'member-not-found': { status: 404, title: 'No such member' },
  'invitation-not-found': { status: 404, title: 'No such invitation' },
  'workspace-not-found': { status: 404, title: 'No such workspace' },
  'already-a-member': { status: 409, title: 'Already a member' },
  'last-owner': { status: 409, title: 'The workspace would have no owner' },
  'service-account-not-found': { status: 404, title: 'No such service account' },
  'workload-not-found': { status: 404, title: 'No such workload' },
  'invalid-grant': { status: 400, title: 'The token cannot be exchanged' },
  'invalid-scope': { status: 400, title: 'The token does not permit this' },
  'issuer-unavailable': { status: 503, title: "The token's issuer cannot be reached", retryAfter: 30 },
  'sign-in-failed': { status: 400, title: 'Sign-in failed' },
  'not-invited': { status: 403, title: 'You have no invitation' },
  'provider-unavailable': { status: 503, title: 'The sign-in provider is not available', retryAfter: 2 },
  'authorization-pending': { status: 400, title: 'The program is not approved yet' },
  'slow-down': { status: 400, title: 'The program polls too often' },
  'access-denied': { status: 400, title: 'The program was declined' },
  'device-code-expired': { status: 400, title: 'The code has expired' },
  'share-link-not-found': { status: 404, title: 'No such link' },
  'saved-view-not-found': { status: 404, title: 'No such saved view' },
  'report-not-found': { status: 404, title: 'No such report' },
  'report-changed': { status: 409, title: 'The report was changed by someone else' },
  'citation-not-found': { status: 404, title: 'No citation' },
  'experiment-frozen': { status: 409, title: 'The experiment is a snapshot' },
  'run-deleted': { status: 410, title: 'The run was deleted' },
  'original-gone': { status: 410, title: 'The original bytes are no longer kept' },
  'stored-bytes-lost': { status: 410, title: 'Stored bytes are lost' },
  'unknown-field': { status: 400, title: 'The request has an unknown field' },
  'invalid-name': { status: 400, title: 'The name is invalid' },
  'name-too-long': { status: 400, title: 'The name is too long' },
  'invalid-filter': { status: 400, title: 'The filter cannot be read' },
  'invalid-page-token': { status: 400, title: 'The page token does not belong to this list' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key belongs to another request' },
  'range-conflict': { status: 409, title: 'The range overlaps stored bytes' },
  'window-exceeded': { status: 409, title: 'The range starts too far beyond the durable offset' },
  'digest-mismatch': { status: 400, title: 'The body does not match its digest' },
  'digest-missing': { status: 400, title: 'The body needs a digest' },
  'unsupported-encoding': { status: 415, title: 'The content encoding is not supported' },
  'corrupt-encoding': { status: 400, title: 'The body cannot be decoded' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'body-timeout': { status: 408, title: 'The body did not arrive in time' },
  'body-incomplete': { status: 400, title: 'The body ended early' },
  'checksum-mismatch': { status: 409, title: 'The checksum does not match' },
  'incomplete-file': { status: 409, title: 'The file is not complete' },
  'answer-too-large': { status: 413, title: 'The response would be too large' },
  'not-visible-yet': { status: 408, title: 'Not visible yet' },
  'unsupported-media-type': { status: 415, title: 'The media type is not supported' },
  'insufficient-storage': { status: 507, title: 'The server is out of space', retryAfter: 30 },
  'store-unavailable': { status: 503, title: 'The database or the object store cannot be reached', retryAfter: 2 },
  'not-ready': { status: 503, title: 'The process is not ready', retryAfter: 2 },
  'rate-limited': { status: 429, title: 'Too many requests', retryAfter: 1 },
  'quota-exceeded': { status: 403, title: 'A quota of the workspace is used up' },
  'workspace-suspended': { status: 403, title: 'The workspace is suspended' },
  'too-much-pending': { status: 429, title: 'Too much is waiting for ingest', retryAfter: 2 },
  'too-many-uploads': { status: 429, title: 'Too many uploads at once', retryAfter: 1 },
  'client-too-old': { status: 400, title: 'The client is too old' },
  'range-not-satisfiable': { status: 416, title: 'The range is not satisfiable' },
  internal: { status: 500, title: 'Something went wrong on our side' },
};

/** Every problem has a stable `type` that needs no lookup. */
export function problemType(code: ProblemCode): string {
  return `urn:plotline:problem:${code}`;
}
