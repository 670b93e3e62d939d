import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeS3Client } from './s3-client.ts';
import { defaultS3Limits } from './s3-options.ts';
import { S3Presigner } from './s3-presign.ts';

const options = {
  endpoint: 'http://s3.internal:7070',
  publicEndpoint: 'https://objects.example:8443',
  bucket: 'plotline',
  region: 'eu-central-1',
  accessKeyId: 'AKID/EXAMPLE',
  secretAccessKey: 'a secret of some length',
  checksums: 'when-supported',
} as const;
const key = { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey };
const temporary = { ...key, sessionToken: 'a token/of+a session==' };
const name = '01234567-89ab-cdef-0123-456789abcdef/blob/0a1b';
const requested = { expiresInSeconds: 900, contentType: 'image/png', disposition: 'inline' };

describe('a presigned address', () => {
  it.each([
    ['a key', key],
    ['temporary credentials', temporary],
  ])('equals the one of the client library, with %s', async (_, used) => {
    const keys = { current: async () => used, hasOther: () => false };
    const client = makeS3Client({ ...options, endpoint: options.publicEndpoint }, defaultS3Limits, true, keys);
    // The library also adds its operation's name, which no store needs.
    client.middlewareStack.add(
      (next) => (args) => {
        const { query } = args.request as { query: Record<string, string> };
        delete query['x-id'];
        return next(args);
      },
      { step: 'build', priority: 'low' },
    );
    const presigner = new S3Presigner(options);
    const windows = fc.integer({ min: 5_000_000, max: 13_000_000 });
    await fc.assert(
      fc.asyncProperty(windows, fc.string(), fc.string({ unit: 'grapheme-ascii' }), async (window, disposition, contentType) => {
        const at = new Date(window * 300_000);
        const command = new GetObjectCommand({
          Bucket: options.bucket,
          Key: name,
          ResponseContentType: contentType,
          ResponseContentDisposition: disposition,
        });
        const theirs = new URL(await getSignedUrl(client, command, { expiresIn: 1_200, signingDate: at }));
        const ours = new URL(presigner.sign(name, { expiresInSeconds: 900, contentType, disposition }, at.getTime(), used));
        expect(ours.origin + ours.pathname).toBe(theirs.origin + theirs.pathname);
        expect(new Map(ours.searchParams)).toEqual(new Map(theirs.searchParams));
      }),
      { numRuns: 100 },
    );
  });

  it('stays the same for five minutes, and is valid for at least the requested time', () => {
    const presigner = new S3Presigner(options);
    const start = Date.UTC(2026, 10, 21, 12, 0, 0);
    const at = (seconds: number) => presigner.sign(name, requested, start + seconds * 1_000, key);
    expect(at(299)).toBe(at(0));
    expect(at(300)).not.toBe(at(0));
    expect(new URL(at(299)).searchParams.get('X-Amz-Expires')).toBe('1200');
  });

  it('has the public host name', () => {
    expect(new S3Presigner(options).sign(name, requested, 0, key)).toMatch(/^https:\/\/objects\.example:8443\/plotline\//);
    expect(new S3Presigner({ ...options, publicEndpoint: undefined }).sign(name, requested, 0, key)).toMatch(
      /^http:\/\/s3\.internal:7070\/plotline\//,
    );
  });
});
