import { Problem } from '#model';
import { BlobDamaged, BlobNotFound } from './blob-store.ts';

/** The store did not answer in time. */
export class S3Timeout extends Error {
  override readonly name = 'S3Timeout';
}

/** The store answered with fewer bytes than it said, or with something that is no answer. */
export class S3Truncated extends Error {
  override readonly name = 'S3Truncated';
}

/** Error codes after which the same request can succeed, beside every 5xx. The digest codes: bytes were changed on their way. */
const retryableCodes = new Set([
  'BadDigest',
  'ConditionalRequestConflict',
  'ExistingObjectIsDirectory', // versitygw, when a neighbour's deletion removes the folder at this moment
  'IncompleteBody',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);

const fullCodes = new Set(['InsufficientStorage', 'NoSpaceLeftOnDevice', 'QuotaExceeded', 'XMinioStorageFull']);

/** The `Code` of an S3 error, or the code of a socket's or Node's error; empty when it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('$metadata' in error) return error.name;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** HTTP status of an answer that was an error; null when there was no answer. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('$metadata' in error)) return null;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  return httpStatusCode ?? null;
}

export function isFull(error: unknown): boolean {
  return statusOf(error) === 507 || fullCodes.has(codeOf(error));
}

/** Whether the same request may succeed if it is sent again. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof BlobNotFound || error instanceof Problem) return false;
  if (error instanceof BlobDamaged || error instanceof S3Timeout || error instanceof S3Truncated) return true;
  if (isFull(error)) return false;
  if (wasClockCorrected(error)) return true;
  const status = statusOf(error);
  // Without a status there was no answer, or none that could be read: a refused or reset connection, broken XML.
  if (status === null) return !(error instanceof TypeError || error instanceof RangeError);
  return (status >= 500 && status !== 501) || status === 408 || status === 429 || retryableCodes.has(codeOf(error));
}

/** The store refused a request for the time in its signature, and the client has learnt the store's time from that. An answer to HEAD does not say more. */
function wasClockCorrected(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  return (error.$metadata as { clockSkewCorrected?: boolean }).clockSkewCorrected === true;
}

/** What the rest of the service sees of a failure: problems, {@link BlobNotFound} and {@link BlobDamaged} as they are. */
export function asServiceError(what: string, error: unknown): unknown {
  if (error instanceof Problem || error instanceof BlobNotFound || error instanceof BlobDamaged) return error;
  if (isFull(error)) return new Problem('insufficient-storage', 'The object store is full. Try again later.', { cause: error });
  if (isRetryable(error))
    return new Problem('store-unavailable', 'The object store cannot be reached. Try again in a moment.', { cause: error });
  if (error instanceof TypeError || error instanceof RangeError || statusOf(error) === null) return error;
  return new Error(`the object store rejected a request to ${what}: ${codeOf(error)}`, { cause: error });
}
