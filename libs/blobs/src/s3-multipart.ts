import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type MultipartUpload as MultipartUploadListing,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { crc32c } from '@node-rs/crc32';
import { isTenantId, Problem } from '#model';
import { bodyOf, type S3Body, sentBody } from './s3-body.ts';
import type { S3Calls } from './s3-calls.ts';
import { codeOf, statusOf } from './s3-errors.ts';
import type { S3Options } from './s3-options.ts';

/** The target of a streamed object. */
export interface PartsTarget {
  readonly client: S3Client;
  readonly calls: S3Calls;
  readonly bucket: string;
  readonly name: string;
  readonly signsBodies: boolean;
  readonly checksums: S3Options['checksums'];
  readonly conditional: boolean;
  /** Whether the store verifies checksums. If not, written bytes are read back. */
  readonly verifies: boolean;
  readonly partBytes: number;
  /** Called for parts that could not be removed. */
  readonly onWarning: (line: string) => void;
  /** Length of the existing object. */
  bytesThere(): Promise<number | null>;
  /** Length and checksum of the existing object, computed by reading it. */
  measure(): Promise<{ readonly bytes: number; readonly crc32c: number } | null>;
}

/** Maximum number of times that an object's upload starts over. */
const maxAttempts = 4;
const abandonedAfterMs = 86_400_000;

/**
 * Writes pieces as one object: in a single request if they fit into one part, otherwise as parts
 * that the store joins. Nothing is visible until then. Starts over, calling `pieces` again, if
 * another writer of the same key interfered (409) or the store forgot the upload. Resolves with the
 * number of bytes. On any failure, removes the parts if the store can be reached.
 */
export async function putParts(
  target: PartsTarget,
  pieces: () => AsyncIterable<Uint8Array>,
  putWhole: (body: S3Body) => Promise<void>,
): Promise<number> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const bytes = await putOnce(target, pieces(), putWhole);
    if (bytes !== null) return bytes;
  }
  throw new Problem('store-unavailable', 'Another process keeps writing the same object. Try again in a moment.');
}

/** Null: start over. */
async function putOnce(
  target: PartsTarget,
  pieces: AsyncIterable<Uint8Array>,
  putWhole: (body: S3Body) => Promise<void>,
): Promise<number | null> {
  let first: readonly Uint8Array[] | null = null;
  let upload: MultipartUpload | null = null;
  try {
    for await (const part of inParts(pieces, target.partBytes)) {
      if (first === null) {
        first = part;
        continue;
      }
      if (!upload) {
        upload = await MultipartUpload.begin(target);
        await upload.add(first);
      }
      await upload.add(part);
    }
    if (upload) return (await upload.complete()) ? upload.bytes : null;
    const body = bodyOf(first ?? [], target.checksums);
    await putWhole(body);
    return body.length;
  } catch (error) {
    if (error instanceof UploadForgotten) return null;
    throw error;
  } finally {
    await upload?.remove();
  }
}

/** Whether the store does not know the upload, because it or its cleanup has dropped the parts. */
class UploadForgotten extends Error {
  override readonly name = 'UploadForgotten';
}

class MultipartUpload {
  readonly #target: PartsTarget;
  readonly #place: { readonly Bucket: string; readonly Key: string; readonly UploadId: string };
  readonly #parts: CompletedPart[] = [];
  #crc = 0;
  #joined = false;
  bytes = 0;

  private constructor(target: PartsTarget, id: string) {
    this.#target = target;
    this.#place = { Bucket: target.bucket, Key: target.name, UploadId: id };
  }

  static async begin(target: PartsTarget): Promise<MultipartUpload> {
    const { client, calls, bucket, name, checksums } = target;
    const checksum = checksums === 'when-supported' ? ({ ChecksumAlgorithm: 'CRC32C' } as const) : {};
    const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key: name, ...checksum });
    const response = await calls.run('begin a large object', 0, (abortSignal) => client.send(command, { abortSignal }));
    if (response.UploadId === undefined) throw new Error('the object store returned no upload id for a large object');
    return new MultipartUpload(target, response.UploadId);
  }

  /** Sends one part. The store verifies its checksum. */
  async add(pieces: readonly Uint8Array[]): Promise<void> {
    const { client, calls, checksums, signsBodies } = this.#target;
    const body = bodyOf(pieces, checksums);
    const PartNumber = this.#parts.length + 1;
    const response = await calls.run('write a part of an object', body.length, (abortSignal) =>
      client
        .send(new UploadPartCommand({ ...this.#place, PartNumber, ...sentBody(body, signsBodies), ...body.guard }), { abortSignal })
        .catch(nullWhenForgotten),
    );
    if (!response) throw new UploadForgotten('a part came too late');
    const checksum = 'ChecksumCRC32C' in body.guard ? body.guard : {};
    this.#parts.push({ PartNumber, ETag: response.ETag, ...checksum });
    this.#crc = pieces.reduce((sum, piece) => crc32c(piece, sum), this.#crc);
    this.bytes += body.length;
  }

  /**
   * Makes the store join the parts. Returns true if the object exists with our bytes, and false if
   * the upload must start over.
   */
  async complete(): Promise<boolean> {
    const { conditional, verifies, bytesThere } = this.#target;
    let outcome = await this.#join(conditional);
    if (outcome === 'exists') {
      if (await this.#isThere()) return true;
      outcome = await this.#join(false);
    }
    if (outcome === 'forgotten') return this.#isThere(); // the response to an earlier attempt may have been lost
    if (outcome !== 'joined') return false;
    this.#joined = true;
    if ((await bytesThere()) === this.bytes && (verifies || (await this.#isThere()))) return true;
    throw new Problem('store-unavailable', 'The object store did not store the bytes it was sent. Try again in a moment.');
  }

  async #join(conditional: boolean): Promise<'joined' | 'conflict' | 'exists' | 'forgotten'> {
    const { client, calls } = this.#target;
    const command = new CompleteMultipartUploadCommand({
      ...this.#place,
      MultipartUpload: { Parts: this.#parts },
      ...(conditional ? { IfNoneMatch: '*' } : {}),
    });
    return calls.run('join the parts of an object', this.bytes, async (abortSignal) => {
      try {
        await client.send(command, { abortSignal });
        return 'joined';
      } catch (error) {
        const status = statusOf(error);
        if (status === 409) return 'conflict';
        if (status === 412) return 'exists';
        if (codeOf(error) === 'NoSuchUpload') return 'forgotten';
        throw error;
      }
    });
  }

  /** Whether the existing object has our bytes. Reads all of it. */
  async #isThere(): Promise<boolean> {
    const there = await this.#target.measure();
    return there !== null && there.bytes === this.bytes && there.crc32c === this.#crc;
  }

  /**
   * Removes parts that were not joined. Tries only once and never throws: the parts are invisible,
   * and {@link removeAbandonedUploads} removes leftovers.
   */
  async remove(): Promise<void> {
    if (this.#joined) return;
    const { client, calls, onWarning } = this.#target;
    const abortSignal = AbortSignal.timeout(calls.limits.attemptMs);
    try {
      await client.send(new AbortMultipartUploadCommand(this.#place), { abortSignal });
    } catch (error) {
      if (codeOf(error) === 'NoSuchUpload') return; // joined by an attempt whose response was lost, or dropped by the store
      onWarning(`parts of an unfinished object stay in the object store until they are a day old, and a process starts: ${codeOf(error)}`);
    }
  }
}

function nullWhenForgotten(error: unknown): null {
  if (codeOf(error) === 'NoSuchUpload') return null;
  throw error;
}

/**
 * Groups `pieces` into lists of exactly `partBytes` bytes; the last list has the remainder. Yields
 * nothing if there are no bytes.
 */
async function* inParts(pieces: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array[]> {
  let part: Uint8Array[] = [];
  let free = partBytes;
  for await (let piece of pieces) {
    while (piece.length >= free) {
      yield [...part, piece.subarray(0, free)];
      piece = piece.subarray(free);
      part = [];
      free = partBytes;
    }
    if (piece.length > 0) part.push(piece);
    free -= piece.length;
  }
  if (part.length > 0) yield part;
}

/**
 * Removes parts of objects whose writers died more than a day ago. Otherwise, a bucket keeps them
 * forever, invisible but billed. `now` is the store's time. Does not touch anything else in the
 * bucket. A store that does not list such parts has its own cleanup.
 */
export async function removeAbandonedUploads(
  client: S3Client,
  calls: S3Calls,
  { bucket, now }: { readonly bucket: string; readonly now: Date | undefined },
): Promise<void> {
  if (!now) return;
  const abandonedBefore = now.getTime() - abandonedAfterMs;
  for await (const { Key, UploadId, Initiated } of listUploads(client, calls, bucket)) {
    if (Key === undefined || UploadId === undefined || !Initiated || Initiated.getTime() > abandonedBefore) continue;
    if (!isTenantId(Key.split('/', 1)[0]!)) continue;
    const remove = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
    await calls.run('remove an unfinished object', 0, (abortSignal) => client.send(remove, { abortSignal }).catch(nullWhenForgotten));
  }
}

async function* listUploads(client: S3Client, calls: S3Calls, bucket: string): AsyncGenerator<MultipartUploadListing> {
  for (let place: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}; ;) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, ...place });
    const page = await calls.run('list unfinished objects', 0, (abortSignal) =>
      client.send(command, { abortSignal }).catch((error: unknown) => {
        if (statusOf(error) === 501) return null;
        throw error;
      }),
    );
    yield* page?.Uploads ?? [];
    if (!page?.IsTruncated || !page.NextKeyMarker) return;
    place = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
