import { randomUUID } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { crc32cHex } from '#model';
import { bodyOf, piecesOf, sentBody } from './s3-body.ts';
import type { S3Calls } from './s3-calls.ts';
import { codeOf, isFull, isRetryable, statusOf } from './s3-errors.ts';
import { removeAbandonedUploads } from './s3-multipart.ts';
import type { S3Options } from './s3-options.ts';

/** The store's optional abilities. */
export interface S3Abilities {
  /**
   * Whether the store honors `If-None-Match: *`. If not, we check first, and two concurrent writers
   * may both write the same bytes.
   */
  readonly conditionalPuts: boolean;
  /**
   * Whether the store rejects a body that does not match its checksum. If not, we read written
   * bytes back.
   */
  readonly verifiesChecksums: boolean;
}

/** Tenant id for the probe's objects. No workspace has this id, and listings omit it. */
export const probeTenant = '00000000-0000-0000-0000-000000000000';

interface Probe {
  readonly client: S3Client;
  readonly calls: S3Calls;
  readonly options: S3Options;
  /** See `makeS3Client`. */
  readonly signsBodies: boolean;
  readonly onWarning: (line: string) => void;
}

/** The store cannot be used. The message explains why and what to do. */
export class S3Unsuitable extends Error {
  override readonly name: string = 'S3Unsuitable';
}

/** The store responds, but rejects the way we write. */
export class S3RejectsWrites extends S3Unsuitable {
  override readonly name = 'S3RefusesWrites';
}

/**
 * Writes, reads, lists and deletes a small object. Requires the bucket, writing, metadata, ranges
 * and listing. Returns which optional abilities the store has.
 */
export async function probeS3(probe: Probe): Promise<S3Abilities> {
  const { client, calls, options, signsBodies, onWarning } = probe;
  const name = { Bucket: options.bucket, Key: `${probeTenant}/probe/${randomUUID()}` };
  const body = bodyOf(Buffer.from('0123456789'), options.checksums);
  const { length, guard } = body;
  const crc32c = crc32cHex(body.crc32c);
  const other = bodyOf(Buffer.from('abcdefghij'), options.checksums);
  const put = (input: object) => new PutObjectCommand({ ...name, ...sentBody(body, true), Metadata: { crc32c }, ...input });

  await ask(probe, `use the bucket ${options.bucket}`, (abortSignal) =>
    client.send(new HeadBucketCommand({ Bucket: options.bucket }), { abortSignal }),
  );
  const plain = await attempt(probe, 'write', (abortSignal) => client.send(put(guard), { abortSignal }));
  if (plain === 'full') {
    // The store is full, but existing objects can be read. Assumes no ability, so that writes are
    // correct once there is space again.
    if (!signsBodies) throw new S3RejectsWrites(`the object store ${options.endpoint} is full`);
    onWarning(`the object store ${options.endpoint} is full`);
    return { conditionalPuts: false, verifiesChecksums: false };
  }
  if (plain !== 'ok') {
    const hint =
      options.checksums === 'when-supported' ? '; if it does not know checksum headers, set PLOTLINE_S3_CHECKSUMS=when-required' : '';
    throw new S3RejectsWrites(`the object store ${options.endpoint} rejects an object with a checksum (${plain})${hint}`);
  }
  try {
    const head = await ask(probe, 'look at an object', (abortSignal) => client.send(new HeadObjectCommand(name), { abortSignal }));
    if (head.ContentLength !== length || head.Metadata?.crc32c !== crc32c)
      throw new S3Unsuitable(`the object store ${options.endpoint} does not keep an object's metadata`);
    await probeRange(probe, name);
    await probeListing(probe, name);
    // Neither of these requests changes the object unless the store lacks the ability.
    const again = await attempt(probe, 'write', (abortSignal) => client.send(put({ ...guard, IfNoneMatch: '*' }), { abortSignal }));
    const wrong = await attempt(probe, 'write', (abortSignal) => client.send(put(other.guard), { abortSignal }), { wrongOnPurpose: true });
    // Object ages are measured by the store's clock, not ours.
    await removeAbandonedUploads(client, calls, { bucket: options.bucket, now: head.LastModified }).catch((error: unknown) =>
      // Cleanup is optional: a store that does not permit us to list uploads can still be used.
      onWarning(`unfinished parts in the object store ${options.endpoint} cannot be removed: ${reasonOf(error)}`),
    );
    const abilities = { conditionalPuts: again === '412', verifiesChecksums: wrong !== 'ok' && wrong !== 'full' };
    warn(probe, abilities);
    return abilities;
  } finally {
    await ask(probe, 'delete an object', (abortSignal) => client.send(new DeleteObjectCommand(name), { abortSignal }));
  }
}

/** Checks for the bucket and for a nonexistent object. Does not write, so it assumes no ability. */
export async function probeReading(probe: Probe): Promise<S3Abilities> {
  const { client, options } = probe;
  const { bucket: Bucket } = options;
  await ask(probe, `use the bucket ${Bucket}`, (abortSignal) => client.send(new HeadBucketCommand({ Bucket }), { abortSignal }));
  const absent = new GetObjectCommand({ Bucket, Key: `${probeTenant}/probe/${randomUUID()}` });
  await ask(probe, 'read an object', async (abortSignal) => {
    try {
      await client.send(absent, { abortSignal });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  });
  return { conditionalPuts: false, verifiesChecksums: false };
}

function warn({ options, onWarning }: Probe, { conditionalPuts, verifiesChecksums }: S3Abilities): void {
  if (!conditionalPuts)
    onWarning(`the object store ${options.endpoint} ignores If-None-Match: each write first checks whether the object exists`);
  if (!verifiesChecksums)
    onWarning(`the object store ${options.endpoint} does not check checksums: each object is read back after the write`);
}

async function probeRange(probe: Probe, name: { Bucket: string; Key: string }): Promise<void> {
  const range = await ask(probe, 'read a range', async (signal) =>
    piecesOf(await probe.client.send(new GetObjectCommand({ ...name, Range: 'bytes=2-4' }), { abortSignal: signal }), signal),
  );
  if (Buffer.concat(range).toString() !== '234')
    throw new S3Unsuitable(`the object store ${probe.options.endpoint} does not read ranges of objects`);
}

async function probeListing(probe: Probe, { Bucket, Key }: { Bucket: string; Key: string }): Promise<void> {
  const command = new ListObjectsV2Command({ Bucket, Prefix: Key });
  const { Contents = [] } = await ask(probe, 'list objects', (abortSignal) => probe.client.send(command, { abortSignal }));
  if (Contents[0]?.Key !== Key) throw new S3Unsuitable(`the object store ${probe.options.endpoint} does not list what was written`);
}

/** `ok`, `full`, or the status or code of the error. Throws if the store is unreachable. */
async function attempt(
  probe: Probe,
  what: string,
  work: (signal: AbortSignal) => Promise<unknown>,
  { wrongOnPurpose = false } = {},
): Promise<string> {
  return ask(probe, what, async (signal) => {
    try {
      await work(signal);
      return 'ok';
    } catch (error) {
      const status = statusOf(error);
      if (status === 412) return '412';
      if (isFull(error)) return 'full';
      if (status === null || status === 429 || (status >= 500 && status !== 501)) throw error;
      // The object was changed or truncated in transit, which proves nothing about the store's
      // abilities.
      if (status < 500 && !wrongOnPurpose && isRetryable(error)) throw error;
      return codeOf(error) || String(status);
    }
  });
}

async function ask<T>({ calls, options }: Probe, what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await calls.run(what, 0, work);
  } catch (error) {
    throw new S3Unsuitable(`cannot ${what} of the object store ${options.endpoint}: ${reasonOf(error)}${hintOf(error)}`, { cause: error });
  }
}

/**
 * The client library's message for a response without a code and message, such as a HEAD response.
 */
const nothingSaid = new Set(['', 'Unknown', 'UnknownError']);

/** Status, code and message of the store's response, or of the error that prevented it. */
function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return String(cause);
  const said = [codeOf(cause), cause.message].filter((part) => !nothingSaid.has(part));
  return [statusOf(cause) ?? '', ...said].join(' ').trim();
}

/** The settings that most often cause this error. Empty if unknown. */
function hintOf(error: unknown): string {
  const cause = causeOf(error);
  switch (statusOf(cause)) {
    case null:
      // Without a status, there was no readable response.
      return isRetryable(cause) ? '. Does an S3 service answer at PLOTLINE_S3_ENDPOINT?' : '';
    case 301:
    case 400:
      return '. Is PLOTLINE_S3_REGION its region?';
    case 401:
    case 403:
      return '. PLOTLINE_S3_ACCESS_KEY_ID or PLOTLINE_S3_SECRET_ACCESS_KEY is wrong, or this key may not do it in the bucket of PLOTLINE_S3_BUCKET.';
    case 404:
      return '. The bucket of PLOTLINE_S3_BUCKET does not exist, or no S3 service answers at PLOTLINE_S3_ENDPOINT.';
    default:
      return '';
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
