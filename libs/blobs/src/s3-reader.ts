import { Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { crc32c } from '@node-rs/crc32';
import type { TenantId } from '#model';
import { BlobDamaged, BlobNotFound, type ByteRange } from './blob-store.ts';
import { checked, ContentCheck, type NotedContent } from './content-check.ts';
import { discard, piecesOf, resumedBody } from './s3-body.ts';
import type { S3Calls } from './s3-calls.ts';
import { codeOf, S3Truncated, statusOf } from './s3-errors.ts';

/** The size that the timeout assumes for a read of unknown length. */
const usualMostBytes = 16 * 1024 * 1024;

/** A bucket and how to access it. */
export interface S3Place {
  readonly client: S3Client;
  readonly calls: S3Calls;
  readonly bucket: string;
  /** See `makeS3Client`. */
  readonly signsBodies: boolean;
}

/** Name of an object in the bucket. */
export function nameOf(tenantId: TenantId, key: string): string {
  return `${tenantId}/${key}`;
}

/**
 * Reads objects, and verifies each one that it reads completely. The caller has checked the tenant
 * and key.
 */
export class S3Reader {
  readonly #place: S3Place;

  constructor(place: S3Place) {
    this.#place = place;
  }

  /** Size of the object in bytes. Null if there is none. */
  async length(tenantId: TenantId, key: string): Promise<number | null> {
    const { client, calls, bucket } = this.#place;
    const command = new HeadObjectCommand({ Bucket: bucket, Key: nameOf(tenantId, key) });
    return calls.run(`look for ${key}`, 0, async (abortSignal) => {
      try {
        const { ContentLength } = await client.send(command, { abortSignal });
        if (ContentLength === undefined) throw new S3Truncated('the response has no length');
        return ContentLength;
      } catch (error) {
        if (statusOf(error) === 404) return null;
        throw error;
      }
    });
  }

  /**
   * See `BlobStore.get`. Damaged data is read again, because it may have been damaged in transit.
   */
  async get(tenantId: TenantId, key: string, range?: ByteRange): Promise<Buffer> {
    return Buffer.concat(await this.getPieces(tenantId, key, range));
  }

  /** See `BlobStore.getPieces`. */
  async getPieces(tenantId: TenantId, key: string, range?: ByteRange): Promise<Buffer[]> {
    const max = range && Number.isFinite(range.end) ? Math.max(0, range.end - range.start) : usualMostBytes;
    return this.#place.calls.run(`read ${key}`, max, async (signal) => {
      const response = await this.#ask(tenantId, key, range, signal);
      if (!response) return [];
      return piecesOf(response, signal, range ? undefined : new ContentCheck(key, notedIn(response)));
    });
  }

  /**
   * See `BlobStore.stream`. If a response breaks off, requests the rest of the same object version.
   */
  async stream(tenantId: TenantId, key: string, range?: ByteRange): Promise<Readable> {
    const { calls } = this.#place;
    const first = await calls.run(`read ${key}`, 0, (signal) => this.#ask(tenantId, key, range, signal));
    if (!first) return Readable.from([], { objectMode: false });
    const { attempts, attemptMs } = calls.limits;
    const begin = range?.start ?? 0;
    const pieces = resumedBody(first, { attempts, idleMs: attemptMs }, (received) => {
      const rest = { start: begin + received, end: begin + (first.ContentLength ?? 0) };
      return calls.run(`read ${key}`, 0, (signal) => this.#ask(tenantId, key, rest, signal, first.ETag));
    });
    const stream = Readable.from(range ? pieces : checked(pieces, new ContentCheck(key, notedIn(first))), { objectMode: false });
    // A stream that is destroyed before it is read never starts the request.
    return stream.once('close', () => discard(first));
  }

  /**
   * Size and CRC-32C of the stored bytes, computed by reading them. Null if there is no complete
   * object.
   */
  async measure(tenantId: TenantId, key: string): Promise<{ readonly bytes: number; readonly crc32c: number } | null> {
    let bytes = 0;
    let crc = 0;
    try {
      for await (const piece of (await this.stream(tenantId, key)) as AsyncIterable<Buffer>) {
        bytes += piece.length;
        crc = crc32c(piece, crc);
      }
    } catch (error) {
      if (error instanceof BlobNotFound || error instanceof BlobDamaged) return null;
      throw error;
    }
    return { bytes, crc32c: crc };
  }

  /** The object, or a part of it. Null if the range starts at or after the object's end. */
  async #ask(
    tenantId: TenantId,
    key: string,
    range: ByteRange | undefined,
    abortSignal: AbortSignal,
    etag?: string,
  ): Promise<GetObjectCommandOutput | null> {
    const { client, bucket } = this.#place;
    const empty = range !== undefined && range.end <= range.start;
    const span = range && (empty ? 'bytes=0-0' : `bytes=${range.start}-${Number.isFinite(range.end) ? range.end - 1 : ''}`);
    try {
      const command = new GetObjectCommand({ Bucket: bucket, Key: nameOf(tenantId, key), Range: span, IfMatch: etag });
      const response = await client.send(command, { abortSignal });
      if (!empty) return response;
      discard(response);
      return null;
    } catch (error) {
      if (statusOf(error) === 416) return null;
      if (codeOf(error) === 'NoSuchKey') throw new BlobNotFound(key, { cause: error });
      throw error;
    }
  }
}

function notedIn(response: {
  readonly ContentLength?: number | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}): NotedContent {
  return { bytes: response.ContentLength, crc32c: response.Metadata?.crc32c };
}
