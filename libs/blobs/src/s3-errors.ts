import { Problem } from '#model';
import { BlobDamaged, BlobNotFound } from './blob-store.ts';

/** The store did not respond in time. */
export class S3Timeout extends Error {
  override readonly name = 'S3Timeout';
}

/** The response was shorter than announced or was not a valid response. */
export class S3Truncated extends Error {
  override readonly name = 'S3Truncated';
}

/**
 * Error codes after which the same request can succeed, in addition to every 5xx. The digest codes
 * mean that bytes changed in transit.
 */
const retryableCodes = new Set([
  'BadDigest',
  'ConditionalRequestConflict',
  'ExistingObjectIsDirectory', // versitygw, when a neighbor's deletion removes the folder at this moment
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

/** The `Code` of an S3 error, or the code of a socket or Node error. Empty if there is none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('$metadata' in error) return error.name;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** HTTP status of an error response. Null if there was no response. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('$metadata' in error)) return null;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  return httpStatusCode ?? null;
}

export function isFull(error: unknown): boolean {
  return statusOf(error) === 507 || fullCodes.has(codeOf(error));
}

/** Whether the same request may succeed if it is retried. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof BlobNotFound || error instanceof Problem) return false;
  if (error instanceof BlobDamaged || error instanceof S3Timeout || error instanceof S3Truncated) return true;
  if (isFull(error)) return false;
  if (wasClockCorrected(error)) return true;
  const status = statusOf(error);
  // Without a status, there was no readable response: the connection was refused or reset, or the
  // XML was broken.
  if (status === null) return !(error instanceof TypeError || error instanceof RangeError);
  return (status >= 500 && status !== 501) || status === 408 || status === 429 || retryableCodes.has(codeOf(error));
}

/**
 * Whether the store rejected a request because of the time in its signature, and the client has
 * learned the store's time from the response. A HEAD response has no other details.
 */
function wasClockCorrected(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  return (error.$metadata as { clockSkewCorrected?: boolean }).clockSkewCorrected === true;
}

/**
 * Converts a failure to the error that callers receive. Problems, {@link BlobNotFound} and {@link
 * BlobDamaged} remain unchanged.
 */
export function asServiceError(what: string, error: unknown): unknown {
  if (error instanceof Problem || error instanceof BlobNotFound || error instanceof BlobDamaged) return error;
  if (isFull(error)) return new Problem('insufficient-storage', 'The object store is full. Try again later.', { cause: error });
  if (isRetryable(error))
    return new Problem('store-unavailable', 'The object store cannot be reached. Try again in a moment.', { cause: error });
  if (error instanceof TypeError || error instanceof RangeError || statusOf(error) === null) return error;
  return new Error(`the object store rejected a request to ${what}: ${codeOf(error)}`, { cause: error });
}
