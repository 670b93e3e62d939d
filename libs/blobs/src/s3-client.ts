import { PutObjectCommand, S3Client, type S3ClientConfig, UploadPartCommand } from '@aws-sdk/client-s3';
import type { S3Limits, S3Options } from './s3-options.ts';

/**
 * A client of one endpoint. It makes one attempt for each call: {@link S3Calls} knows which failures can be tried again, how long, and what they mean.
 * Connections are kept and bounded; small requests are not held back (no Nagle). Without `signsBodies` the signature of an object that is written covers
 * its checksum and not its SHA-256 (`UNSIGNED-PAYLOAD` of Signature Version 4), which saves both sides a pass over the bytes.
 */
export function makeS3Client(options: S3Options, limits: S3Limits, signsBodies: boolean): S3Client {
  const agent = { keepAlive: true, noDelay: true, maxSockets: limits.sockets };
  const whenNeeded = 'WHEN_REQUIRED'; // we compute checksums ourselves, faster, and name those of GET answers ourselves
  const client = new S3Client({
    ...nothingFromOutside,
    endpoint: options.endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 1,
    logger: silent,
    requestChecksumCalculation: whenNeeded,
    responseChecksumValidation: whenNeeded,
    // A store that does not know `Expect: 100-continue` would keep each larger PUT waiting.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: limits.connectMs, httpAgent: agent, httpsAgent: agent },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const before = client.config.systemClockOffset;
      try {
        return await next(args);
      } catch (error) {
        // The library says so itself only where the time of day is wrong now, and not where it was and has been set right.
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

/** The library's own bound: stores refuse a signature whose time is off by five minutes or more. */
const maxSkewMs = 240_000;

/** Otherwise read from `AWS_…` and from files in the home of whoever runs us, which are about other services of theirs. */
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

/** It would warn of each failed attempt at a stream, on the standard output; who asked is told of it, and may ask again. */
const silent: NonNullable<S3ClientConfig['logger']> = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function nothing(): void {}

const writers: ReadonlySet<string | undefined> = new Set([PutObjectCommand.name, UploadPartCommand.name]);
