import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { crc32c } from '@node-rs/crc32';
import { crc32cHex, Problem } from '#model';
import { BlobDamaged, BlobNotFound, BlobStore, type ByteRange, type PresignOptions, type StoredObject } from './blob-store.ts';
import { checkContent, checked, ContentCheck, type NotedContent } from './content-check.ts';
import { checkListing, checkObjectName, isTenantId } from './object-keys.ts';
import { bodyOf, bytesOf, discard, resumedBody, type S3Body } from './s3-body.ts';
import { S3Calls } from './s3-calls.ts';
import { makeS3Client } from './s3-client.ts';
import { codeOf, statusOf } from './s3-errors.ts';
import { putParts } from './s3-multipart.ts';
import { defaultS3Limits, type S3Options } from './s3-options.ts';
import { S3Presigner } from './s3-presign.ts';
import { probeS3, probeTenant, type S3Abilities } from './s3-probe.ts';

/** One part of an object that is written as a stream; what is not longer is written at once. S3 takes parts from 5 MiB on, and 10,000 of them. */
const partBytes = 8 * 1024 * 1024;
/** How much a read of unknown length may move, for its deadline. */
const usualMostBytes = 16 * 1024 * 1024;

/**
 * Objects in a bucket of an S3 server, as `<tenant>/<key>`.
 *
 * A write never replaces: it is sent with `If-None-Match: *`, and "is there already" is success once the length and checksum of what is there were
 * compared with ours; other bytes (a frame of another compressor, or damage) are replaced. Every request carries a checksum that the store
 * verifies, or, where it does not, is read back. The CRC-32C of objects that were written in one request is kept as their metadata, for reads.
 */
export class S3BlobStore extends BlobStore {
  readonly #client: S3Client;
  readonly #presigner: S3Presigner;
  readonly #bucket: string;
  readonly #calls: S3Calls;
  readonly #checksums: S3Options['checksums'];
  readonly #abilities: S3Abilities;

  private constructor(client: S3Client, calls: S3Calls, options: S3Options, abilities: S3Abilities) {
    super();
    this.#client = client;
    this.#calls = calls;
    this.#bucket = options.bucket;
    this.#checksums = options.checksums;
    this.#abilities = abilities;
    this.#presigner = new S3Presigner(options);
  }

  /**
   * Connects to the bucket and tries what we need of it. Throws an error that says what is missing; what can be done in another way is, and `onWarning`
   * is told. See `probeS3`.
   */
  static async open(options: S3Options, onWarning: (line: string) => void): Promise<S3BlobStore> {
    const limits = { ...defaultS3Limits, ...options.limits };
    const client = makeS3Client(options, limits);
    const calls = new S3Calls(limits);
    try {
      return new S3BlobStore(client, calls, options, await probeS3({ client, calls, options, onWarning }));
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  /** Closes the connections. What is under way fails. */
  close(): void {
    this.#client.destroy();
  }

  override async put(tenantId: string, key: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void> {
    checkObjectName(tenantId, key);
    await this.#putWhole(tenantId, key, bodyOf(bytes, this.#checksums));
  }

  override async putStream(tenantId: string, key: string, pieces: () => AsyncIterable<Uint8Array>): Promise<number> {
    checkObjectName(tenantId, key);
    const target = {
      client: this.#client,
      calls: this.#calls,
      bucket: this.#bucket,
      name: nameOf(tenantId, key),
      checksums: this.#checksums,
      conditional: this.#abilities.conditionalPuts,
      partBytes,
      bytesThere: () => this.has(tenantId, key),
      measure: () => this.#measure(tenantId, key),
      verifies: this.#abilities.verifiesChecksums,
    };
    return putParts(target, pieces, (body) => this.#putWhole(tenantId, key, body));
  }

  override async get(tenantId: string, key: string, range?: ByteRange): Promise<Buffer> {
    checkObjectName(tenantId, key);
    const most = range ? range.end - range.start : usualMostBytes;
    return this.#calls.run(`read ${key}`, most, async (signal) => {
      const answer = await this.#ask(tenantId, key, range, signal);
      if (!answer) return Buffer.alloc(0);
      const bytes = await bytesOf(answer, signal);
      if (!range) checkContent(key, bytes, notedIn(answer));
      return bytes;
    });
  }

  override async stream(tenantId: string, key: string, range?: ByteRange): Promise<Readable> {
    checkObjectName(tenantId, key);
    const first = await this.#calls.run(`read ${key}`, 0, (signal) => this.#ask(tenantId, key, range, signal));
    if (!first) return Readable.from([], { objectMode: false });
    const { attempts, attemptMs } = this.#calls.limits;
    const begin = range?.start ?? 0;
    const pieces = resumedBody(first, { attempts, idleMs: attemptMs }, (received) => {
      const rest = { start: begin + received, end: begin + (first.ContentLength ?? 0) };
      return this.#calls.run(`read ${key}`, 0, (signal) => this.#ask(tenantId, key, rest, signal, first.ETag));
    });
    const stream = Readable.from(range ? pieces : checked(pieces, new ContentCheck(key, notedIn(first))), { objectMode: false });
    // One that is destroyed before it was read never starts the pieces.
    return stream.once('close', () => discard(first));
  }

  override async has(tenantId: string, key: string): Promise<number | null> {
    checkObjectName(tenantId, key);
    return (await this.#head(tenantId, key))?.bytes ?? null;
  }

  override async delete(tenantId: string, key: string): Promise<void> {
    checkObjectName(tenantId, key);
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: nameOf(tenantId, key) });
    await this.#calls.run(`delete ${key}`, 0, async (signal) => {
      try {
        await this.#client.send(command, { abortSignal: signal });
      } catch (error) {
        if (codeOf(error) !== 'NoSuchKey') throw error;
      }
    });
  }

  override async *list(tenantId: string | null, prefix: string): AsyncGenerator<StoredObject> {
    checkListing(tenantId, prefix);
    if (tenantId === null) {
      for await (const tenant of this.#tenants()) yield* this.list(tenant, prefix);
      return;
    }
    for (let next: string | undefined; ;) {
      const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: nameOf(tenantId, prefix), ContinuationToken: next });
      const page = await this.#calls.run('list objects', 0, (signal) => this.#client.send(command, { abortSignal: signal }));
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined || Key.endsWith('/')) continue; // what folders leave in some servers
        yield { tenantId, key: Key.slice(tenantId.length + 1), bytes: Size ?? 0, modifiedAt: LastModified ?? new Date(0) };
      }
      if (!page.IsTruncated) return;
      next = page.NextContinuationToken;
    }
  }

  override async presign(tenantId: string, key: string, options: PresignOptions): Promise<string> {
    checkObjectName(tenantId, key);
    return this.#presigner.sign(nameOf(tenantId, key), options, Date.now());
  }

  /** A bucket has no bound that can be asked for. */
  override async freeBytes(): Promise<null> {
    return null;
  }

  /** The ids of tenants that have objects. */
  async *#tenants(): AsyncGenerator<string> {
    for (let next: string | undefined; ;) {
      const command = new ListObjectsV2Command({ Bucket: this.#bucket, Delimiter: '/', ContinuationToken: next });
      const page = await this.#calls.run('list tenants', 0, (signal) => this.#client.send(command, { abortSignal: signal }));
      for (const { Prefix } of page.CommonPrefixes ?? []) {
        const name = Prefix?.slice(0, -1) ?? '';
        if (isTenantId(name) && name !== probeTenant) yield name;
      }
      if (!page.IsTruncated) return;
      next = page.NextContinuationToken;
    }
  }

  async #putWhole(tenantId: string, key: string, body: S3Body): Promise<void> {
    const { conditionalPuts, verifiesChecksums } = this.#abilities;
    if (!conditionalPuts && (await this.#isSame(tenantId, key, body))) return;
    await this.#calls.run(`write ${key}`, body.bytes.length, async (signal) => {
      if (await this.#send(tenantId, key, body, conditionalPuts, signal)) return;
      // There already; perhaps by an attempt of ours whose answer was lost.
      if (!(await this.#isSame(tenantId, key, body, signal))) await this.#send(tenantId, key, body, false, signal);
    });
    if (!verifiesChecksums) await this.#requireSame(tenantId, key, body);
  }

  /** False when `ifAbsent` and there is an object already. */
  async #send(tenantId: string, key: string, body: S3Body, ifAbsent: boolean, abortSignal: AbortSignal): Promise<boolean> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: nameOf(tenantId, key),
      ...body.guard,
      ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
      Body: body.bytes,
      Metadata: { crc32c: body.crc32c },
    });
    try {
      await this.#client.send(command, { abortSignal });
      return true;
    } catch (error) {
      if (ifAbsent && statusOf(error) === 412) return false;
      throw error;
    }
  }

  /** Reads back what was written into a store that compares no checksums. */
  async #requireSame(tenantId: string, key: string, body: S3Body): Promise<void> {
    const there = await this.#measure(tenantId, key);
    if (there?.bytes === body.bytes.length && crc32cHex(there.crc32c) === body.crc32c) return;
    throw new Problem('store-unavailable', 'The object store has other bytes than it was sent; try again in a moment.');
  }

  async #isSame(tenantId: string, key: string, body: S3Body, signal?: AbortSignal): Promise<boolean> {
    const there = await this.#head(tenantId, key, signal);
    return there !== null && there.bytes === body.bytes.length && there.crc32c === body.crc32c;
  }

  /** Bytes and CRC-32C of what is really there, by reading it. */
  async #measure(tenantId: string, key: string): Promise<{ bytes: number; crc32c: number } | null> {
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

  async #head(tenantId: string, key: string, signal?: AbortSignal): Promise<NotedContent | null> {
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: nameOf(tenantId, key) });
    const ask = async (abortSignal: AbortSignal): Promise<NotedContent | null> => {
      try {
        return notedIn(await this.#client.send(command, { abortSignal }));
      } catch (error) {
        if (statusOf(error) === 404) return null;
        throw error;
      }
    };
    return signal ? ask(signal) : this.#calls.run(`look for ${key}`, 0, ask);
  }

  /** The object or a part of it; null when the range begins at or behind its end. */
  async #ask(
    tenantId: string,
    key: string,
    range: ByteRange | undefined,
    abortSignal: AbortSignal,
    etag?: string,
  ): Promise<GetObjectCommandOutput | null> {
    const empty = range !== undefined && range.end <= range.start;
    const span = range && (empty ? 'bytes=0-0' : `bytes=${range.start}-${range.end === Infinity ? '' : range.end - 1}`);
    try {
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: nameOf(tenantId, key), Range: span, IfMatch: etag });
      const answer = await this.#client.send(command, { abortSignal });
      if (!empty) return answer;
      discard(answer);
      return null;
    } catch (error) {
      if (statusOf(error) === 416) return null;
      if (codeOf(error) === 'NoSuchKey') throw new BlobNotFound(key, { cause: error });
      throw error;
    }
  }
}

function nameOf(tenantId: string, key: string): string {
  return `${tenantId}/${key}`;
}

function notedIn(answer: {
  readonly ContentLength?: number | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}): NotedContent {
  return { bytes: answer.ContentLength, crc32c: answer.Metadata?.crc32c };
}
