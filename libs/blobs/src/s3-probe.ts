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

/** What the store can do beside what we insist on. */
export interface S3Abilities {
  /** `If-None-Match: *` is obeyed. Else we look first; two writers at once may then both write, the same bytes. */
  readonly conditionalPuts: boolean;
  /** A body that does not have its checksum is refused. Else we read back what we wrote. */
  readonly verifiesChecksums: boolean;
}

/** Objects of the probe are this tenant's; it is nobody's and is not listed. */
export const probeTenant = '00000000-0000-0000-0000-000000000000';

interface Probe {
  readonly client: S3Client;
  readonly calls: S3Calls;
  readonly options: S3Options;
  /** See `makeS3Client`. */
  readonly signsBodies: boolean;
  readonly onWarning: (line: string) => void;
}

/** The store cannot be used. The message says why, and what can be done. */
export class S3Unsuitable extends Error {
  override readonly name: string = 'S3Unsuitable';
}

/** It answers, and did not take what we wrote in the way in which we write it. */
export class S3RefusesWrites extends S3Unsuitable {
  override readonly name = 'S3RefusesWrites';
}

/**
 * Writes, reads, lists and deletes a small object. Insists on: the bucket, writing, metadata, ranges, listing. Says what the store cannot do that can
 * be done without.
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
    // What is there can be read. Nothing is taken for granted, so that what is written when there is room again is right.
    if (!signsBodies) throw new S3RefusesWrites(`the object store ${options.endpoint} is full`);
    onWarning(`the object store ${options.endpoint} is full`);
    return { conditionalPuts: false, verifiesChecksums: false };
  }
  if (plain !== 'ok') {
    const hint =
      options.checksums === 'when-supported' ? '; if it does not know checksum headers, set PLOTLINE_S3_CHECKSUMS=when-required' : '';
    throw new S3RefusesWrites(`the object store ${options.endpoint} refuses an object with a checksum (${plain})${hint}`);
  }
  try {
    const head = await ask(probe, 'look at an object', (abortSignal) => client.send(new HeadObjectCommand(name), { abortSignal }));
    if (head.ContentLength !== length || head.Metadata?.crc32c !== crc32c)
      throw new S3Unsuitable(`the object store ${options.endpoint} does not keep an object's metadata`);
    await probeRange(probe, name);
    await probeListing(probe, name);
    // Neither of these changes the object unless the store cannot do it.
    const again = await attempt(probe, 'write', (abortSignal) => client.send(put({ ...guard, IfNoneMatch: '*' }), { abortSignal }));
    const wrong = await attempt(probe, 'write', (abortSignal) => client.send(put(other.guard), { abortSignal }), { wrongOnPurpose: true });
    // Its clock, and not ours, says how old something in the store is.
    await removeAbandonedUploads(client, calls, { bucket: options.bucket, now: head.LastModified }).catch((error: unknown) =>
      // Tidiness is no condition: who may not list uploads may keep objects here all the same.
      onWarning(`unfinished parts in the object store ${options.endpoint} cannot be removed: ${reasonOf(error)}`),
    );
    const abilities = { conditionalPuts: again === '412', verifiesChecksums: wrong !== 'ok' && wrong !== 'full' };
    warn(probe, abilities);
    return abilities;
  } finally {
    await ask(probe, 'delete an object', (abortSignal) => client.send(new DeleteObjectCommand(name), { abortSignal }));
  }
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

/** `ok`, `full`, or status or code of the refusal. A store that cannot be reached is a failure here too. */
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
      // Changed on its way, or cut off: that says nothing of what the store can do.
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

/** What the client library says where an answer has no code and no message, as those to HEAD. */
const nothingSaid = new Set(['', 'Unknown', 'UnknownError']);

/** Status, code and message of what the store answered, or of what kept it from answering. */
function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return String(cause);
  const said = [codeOf(cause), cause.message].filter((part) => !nothingSaid.has(part));
  return [statusOf(cause) ?? '', ...said].join(' ').trim();
}

/** Which settings are wrong most often where it fails so; empty where that cannot be told. */
function hintOf(error: unknown): string {
  const cause = causeOf(error);
  switch (statusOf(cause)) {
    case null:
      // Without a status there was no answer, or none that could be read.
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
