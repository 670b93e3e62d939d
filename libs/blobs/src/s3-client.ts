import { S3Client } from '@aws-sdk/client-s3';
import type { S3Limits, S3Options } from './s3-options.ts';

/**
 * A client of one endpoint. It makes one attempt for each call: {@link S3Calls} knows which failures can be tried again, how long, and what they mean.
 * Connections are kept and bounded; small requests are not held back (no Nagle).
 */
export function makeS3Client(options: S3Options, limits: S3Limits, endpoint = options.endpoint): S3Client {
  const agent = { keepAlive: true, noDelay: true, maxSockets: limits.sockets };
  const whenNeeded = 'WHEN_REQUIRED'; // we compute checksums ourselves, faster, and name those of GET answers ourselves
  return new S3Client({
    endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 1,
    requestChecksumCalculation: whenNeeded,
    responseChecksumValidation: whenNeeded,
    // A store that does not know `Expect: 100-continue` would keep each larger PUT waiting.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: limits.connectMs, httpAgent: agent, httpsAgent: agent },
  });
}
