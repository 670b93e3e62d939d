import { PutObjectCommand, S3Client, type S3ClientConfig, UploadPartCommand } from '@aws-sdk/client-s3';
import { keysOf } from './s3-keys.ts';
import type { S3Limits, S3Options } from './s3-options.ts';

/**
 * A client of one endpoint. It makes one attempt per call: {@link S3Calls} knows which failures to
 * retry, how long, and what they mean. Connections are reused and limited; small requests are not
 * delayed (no Nagle). Without `signsBodies`, the signature of a write covers the object's checksum
 * instead of its SHA-256 (`UNSIGNED-PAYLOAD` in Signature Version 4). This saves both sides a pass
 * over the bytes.
 */
export function makeS3Client(options: S3Options, limits: S3Limits, signsBodies: boolean, keys = keysOf(options, options.region)): S3Client {
  const agent = { keepAlive: true, noDelay: true, maxSockets: limits.sockets };
  const whenNeeded = 'WHEN_REQUIRED'; // we compute checksums ourselves, faster, and verify those of GET responses ourselves
  const client = new S3Client({
    ...nothingFromOutside,
    endpoint: options.endpoint,
    region: options.region,
    // With `memoized`, the library requests credentials for each call and does not cache them.
    credentials: Object.assign(() => keys.current(), { memoized: true }),
    forcePathStyle: true,
    maxAttempts: 1,
    logger: silent,
    requestChecksumCalculation: whenNeeded,
    responseChecksumValidation: whenNeeded,
    // A store without `Expect: 100-continue` would delay each larger PUT.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: limits.connectMs, httpAgent: agent, httpsAgent: agent },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const before = client.config.systemClockOffset;
      try {
        return await next(args);
      } catch (error) {
        // The library detects this only while the clock is wrong, not after it has been corrected.
        if (error instanceof Error && '$metadata' in error && Math.abs(client.config.systemClockOffset - before) >= maxSkewMs)
          Object.assign(error.$metadata as object, { clockSkewCorrected: true });
        throw error;
      }
    },
    { name: 'clockCorrected', step: 'initialize' },
  );
  if (signsBodies) return client;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        if (writers.has(commandName)) headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
        return next(args);
      },
    { name: 'unsignedBodies', step: 'build' },
  );
  return client;
}

/** The library's own limit: stores reject signatures whose time is off by five minutes or more. */
const maxSkewMs = 240_000;

/**
 * Otherwise, the library would read `AWS_…` variables and files in the user's home folder that are
 * meant for other services.
 */
const nothingFromOutside: Partial<S3ClientConfig> = {
  authSchemePreference: ['aws.auth#sigv4'],
  defaultsMode: 'standard',
  disableClockSkewCorrection: false,
  disableS3ExpressSessionAuth: true,
  retryMode: 'standard',
  sigv4aSigningRegionSet: [],
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: 'plotline',
};

/**
 * Otherwise, the library would print a warning to stdout for each failed attempt to send a stream.
 * The caller gets the error and may retry.
 */
const silent: NonNullable<S3ClientConfig['logger']> = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function nothing(): void {}

const writers: ReadonlySet<string | undefined> = new Set([PutObjectCommand.name, UploadPartCommand.name]);
