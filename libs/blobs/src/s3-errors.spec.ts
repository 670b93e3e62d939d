import { describe, expect, it } from 'vitest';
import { Problem } from '#model';
import { BlobDamaged, BlobNotFound } from './blob-store.ts';
import { asServiceError, isRetryable, S3Timeout, S3Truncated } from './s3-errors.ts';

/** The form that the client library uses. */
function response(status: number, code: string): Error {
  return Object.assign(new Error('x'), { name: code, $metadata: { httpStatusCode: status } });
}

/**
 * The form that the client library uses after it has learned the store's time from the response.
 */
const clockCorrected = Object.assign(new Error('x'), { name: 'Unknown', $metadata: { httpStatusCode: 403, clockSkewCorrected: true } });
const rejected = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('failures of S3', () => {
  it.each([
    ['an internal error', response(500, 'InternalError'), 'store-unavailable'],
    ['too many requests', response(503, 'SlowDown'), 'store-unavailable'],
    ['a store that is down', rejected, 'store-unavailable'],
    ['silence', new S3Timeout('x'), 'store-unavailable'],
    ['a partial response', new S3Truncated('x'), 'store-unavailable'],
    ['bytes that changed in transit', response(400, 'XAmzContentSHA256Mismatch'), 'store-unavailable'],
    ['another writer', response(409, 'ConditionalRequestConflict'), 'store-unavailable'],
    ['a wrong clock', response(403, 'RequestTimeTooSkewed'), 'store-unavailable'],
    ['a wrong clock in the response to HEAD', clockCorrected, 'store-unavailable'],
  ])('%s is retried, then reported as %3$s', (_, error, code) => {
    expect(isRetryable(error)).toBe(true);
    expect(asServiceError('write x', error)).toMatchObject({ name: 'Problem', code, cause: error });
  });

  it.each([
    ['a full disk', response(507, 'InsufficientStorage')],
    ['a full bucket', response(403, 'QuotaExceeded')],
  ])('%s is not retried', (_, error) => {
    expect(isRetryable(error)).toBe(false);
    expect(asServiceError('write x', error)).toMatchObject({ code: 'insufficient-storage' });
  });

  it.each([
    ['a wrong key', response(403, 'InvalidAccessKeyId'), 'InvalidAccessKeyId'],
    ['an unsupported operation', response(501, 'NotImplemented'), 'NotImplemented'],
    ['a missing bucket', response(404, 'NoSuchBucket'), 'NoSuchBucket'],
  ])('%s is not retried, and has a code of its own', (_, error, code) => {
    expect(isRetryable(error)).toBe(false);
    expect(asServiceError('write x', error)).toMatchObject({
      message: `the object store rejected a request to write x: ${code}`,
      cause: error,
    });
  });

  it('our own errors are unchanged', () => {
    for (const error of [new BlobNotFound('x'), new BlobDamaged('x', 'y'), new Problem('internal', 'x'), new TypeError('x')])
      expect(asServiceError('write x', error)).toBe(error);
  });

  it('only a damaged object is read again, not a missing one', () => {
    expect(isRetryable(new BlobDamaged('x', 'y'))).toBe(true);
    expect(isRetryable(new BlobNotFound('x'))).toBe(false);
    expect(isRetryable(new TypeError('x'))).toBe(false);
  });
});
