import { z } from 'zod';
import { integerJson } from '../../experiments/integer-json.ts';
import { limits } from '#model';
import { wholeCount } from '../../query-schemas.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const crc = z
  .string()
  .max(8)
  .regex(/^[0-9a-fA-F]{8}$/)
  .meta({ description: 'CRC-32C as eight hexadecimal digits.' });

/** The upload routes, with the prefix that a proxy routes to upload processes. */
const files: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/uploads/experiments/:experimentId/files',
    tag: 'upload',
    summary: 'Announce an event file',
    about:
      'Announcing the same run and name again returns the existing file. Compare your prefix with `offset` and `crc32c`. If they differ, or your file is shorter, request a new version.',
    idempotent: true,
    body: {
      schema: z.strictObject({
        run: z.string().min(1).max(limits.maxRunNameBytes),
        name: z
          .string()
          .min(1)
          .max(limits.maxFileNameBytes)
          .regex(/^[^/]*tfevents[^/]*$/),
        length: wholeCount.optional(),
        prefix: z.strictObject({ bytes: wholeCount, crc32c: crc }).optional(),
        new_version: z.boolean().optional(),
      }),
      example: { run: 'lr=0.01', name: examples.file, length: 61440 },
    },
    responses: ([201, 200] as const).map((status) =>
      json(
        z.object({ file_id: z.string(), version: z.int(), offset: integerJson, crc32c: crc }),
        status === 201 ? 'A new file.' : 'An existing file.',
        { file_id: '17', version: 1, offset: 0, crc32c: '00000000' },
        status,
      ),
    ),
    problems: [
      'experiment-frozen',
      'experiment-not-found',
      'unknown-field',
      'invalid-name',
      'name-too-long',
      'forbidden',
      'insufficient-storage',
      'idempotency-key-reused',
    ],
  },
  {
    method: 'HEAD',
    path: '/api/v1/uploads/files/:fileId',
    tag: 'upload',
    summary: 'Read how much of a file is durable',
    responses: [
      {
        status: 200,
        about: 'No effect.',
        headers: {
          'Upload-Offset': 'End of the durable prefix: never send bytes below it again.',
          'Upload-Ranges': 'Ranges stored beyond the durable prefix.',
          'Upload-Window': 'How far beyond the offset a range may start, in bytes.',
        },
      },
    ],
    problems: ['file-not-found', 'experiment-not-found', 'experiment-frozen', 'run-deleted', 'forbidden'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/uploads/files/:fileId',
    tag: 'upload',
    summary: 'Send a range of bytes',
    about:
      'Offsets count decoded bytes. Sending the same offset, length and content again succeeds. Any other overlap is a conflict; the response has the current offset and the stored ranges.',
    headers: {
      'Upload-Offset': { about: 'Where the range begins.', required: true, pattern: '^[0-9]{1,15}$', maxLength: 15 },
      'Content-Digest': { about: 'RFC 9530, over the encoded body: crc32c or sha-256.', required: true, maxLength: 1_000 },
      'Content-Encoding': {
        about: 'zstd, gzip, or plotline-columns in a version up to `columnsVersion` of the limits. Absent if the body is not compressed.',
        pattern: '^(zstd|gzip|plotline-columns|identity)$',
        maxLength: 16,
      },
      'Upload-Complete': {
        about: '?1 with the last range completes the file, like `complete`.',
        pattern: '^\\?[01]$',
        maxLength: 2,
      },
    },
    body: { schema: null, mediaType: 'application/octet-stream' },
    responses: [
      {
        status: 204,
        about: 'Durable.',
        headers: {
          'Upload-Offset': 'End of the durable prefix.',
          'Upload-Epoch': 'The epoch that acknowledged the range.',
          'Upload-Complete': '?1 if the file is complete.',
          'RateLimit-Policy':
            '"requests": per minute for the workspace; "pending": bytes acknowledged but not ingested; "stored": bytes stored.',
          RateLimit: 'The remaining part of each quota.',
        },
      },
    ],
    problems: [
      'file-not-found',
      'experiment-not-found',
      'experiment-frozen',
      'run-deleted',
      'range-conflict',
      'window-exceeded',
      'digest-missing',
      'digest-mismatch',
      'unsupported-encoding',
      'quota-exceeded',
      'corrupt-encoding',
      'body-too-large',
      'body-timeout',
      'body-incomplete',
      'insufficient-storage',
      'too-much-pending',
      'too-many-uploads',
      'forbidden',
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/uploads/files/:fileId/complete',
    tag: 'upload',
    summary: 'Complete a file',
    body: { schema: z.strictObject({ bytes: wholeCount, crc32c: crc }), example: { bytes: 61440, crc32c: examples.crc32c } },
    responses: [
      {
        ...json(
          z.object({ file_id: z.string(), version: z.int(), bytes: integerJson, crc32c: crc, epoch: integerJson }),
          'All bytes are durable and the checksum matches.',
          { file_id: '17', version: 1, bytes: 61440, crc32c: examples.crc32c, epoch: 41 },
        ),
        headers: { 'Upload-Epoch': 'The epoch that acknowledged the last bytes.' },
      },
    ],
    problems: ['file-not-found', 'incomplete-file', 'checksum-mismatch', 'unknown-field', 'forbidden'],
  },
];

export const uploadDocs: readonly RouteDoc[] = [
  ...files,
  ...files.map((doc): RouteDoc => ({
    ...doc,
    path: doc.path.replace('/uploads', ''),
    about: `The same as the address below \`/uploads\`. That prefix lets a proxy route uploads.${doc.about ? ` ${doc.about}` : ''}`,
    deprecated: true,
  })),
  {
    method: 'POST',
    path: '/api/uploader',
    tag: 'upload',
    public: true,
    summary: "Handshake with TensorBoard's own uploader",
    about:
      "The body is TensorBoard's `ServerInfoRequest`, and the response is a `ServerInfoResponse` (protobuf). The response says whether the client works with this service, where gRPC is served, and which limits apply to requests.",
    body: { schema: null, mediaType: 'application/protobuf', optional: true },
    responses: [{ status: 200, about: 'The `ServerInfoResponse`.', content: { 'application/protobuf': null } }],
    problems: ['bad-request', 'body-too-large', 'body-timeout', 'body-incomplete', 'rate-limited'],
  },
];
