import type { Readable } from 'node:stream';
import { DeleteObjectCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { crc32cHex, Problem, type TenantId } from '#model';
import { BlobStore, type ByteRange, type KnownContent, type PresignOptions, type StoredObject } from './blob-store.ts';
import { checkListing, checkObjectName } from './object-keys.ts';
import { bodyOf, type S3Body, sentBody } from './s3-body.ts';
import { S3Calls } from './s3-calls.ts';
import { makeS3Client } from './s3-client.ts';
import { S3Clock } from './s3-clock.ts';
import { codeOf, statusOf } from './s3-errors.ts';
import { listObjects, listTenants } from './s3-listing.ts';
import { putParts } from './s3-multipart.ts';
import { defaultS3Limits, type S3Options } from './s3-options.ts';
import { keysOf, type S3Keys } from './s3-keys.ts';
import { S3Presigner } from './s3-presign.ts';
import { probeReading, probeS3, type S3Abilities, S3RejectsWrites } from './s3-probe.ts';
import { nameOf, type S3Place, S3Reader } from './s3-reader.ts';

/**
 * Size of one part of a streamed object. Shorter objects are written in one request. S3 accepts up
 * to 10,000 parts, each of at least 5 MiB.
 */
const partBytes = 8 * 1024 * 1024;

/**
 * Objects in a bucket of an S3 server, as `<tenant>/<key>`.
 *
 * A write is sent with `If-None-Match: *`, so it never replaces an object. If the store responds
 * "already exists", the existing object is read: the write succeeds if its length and checksum
 * match ours. Otherwise, the object (another compressor's frame, or damaged) is replaced. Every
 * request contains a checksum for the store to verify; if the store does not verify it, the object
 * is read back. The CRC-32C of an object written in one request is stored in its metadata, for
 * reads.
 */
export class S3BlobStore extends BlobStore {
  readonly #place: S3Place;
  readonly #checksums: S3Options['checksums'];
  readonly #abilities: S3Abilities;
  readonly #reader: S3Reader;
  readonly #presigner: S3Presigner;
  readonly #keys: S3Keys;
  readonly #clock: S3Clock;
  readonly #onWarning: (line: string) => void;

  private constructor(place: S3Place, options: S3Options, keys: S3Keys, abilities: S3Abilities, onWarning: (line: string) => void) {
    super();
    this.#onWarning = onWarning;
    this.#place = place;
    this.#checksums = options.checksums;
    this.#abilities = abilities;
    this.#reader = new S3Reader(place);
    this.#presigner = new S3Presigner(options);
    this.#keys = keys;
    const { client, calls, bucket } = place;
    this.#clock = new S3Clock(
      () => calls.run('tell the time', 0, (abortSignal) => client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal })),
      () => client.config.systemClockOffset,
    );
  }

  /**
   * Connects to the bucket and tests the required abilities. Throws an error that explains what is
   * missing. Calls `onWarning` for limitations that can be worked around. See `probeS3`.
   */
  static async open(options: S3Options, onWarning: (line: string) => void): Promise<S3BlobStore> {
    try {
      return await S3BlobStore.#connect(options, false, onWarning);
    } catch (error) {
      if (!(error instanceof S3RejectsWrites)) throw error;
      // Every store accepts signed bodies.
      const store = await S3BlobStore.#connect(options, true, onWarning);
      onWarning(`the object store ${options.endpoint} requires signed bodies: both sides hash everything once more`);
      return store;
    }
  }

  static async #connect(options: S3Options, signsBodies: boolean, onWarning: (line: string) => void): Promise<S3BlobStore> {
    const limits = { ...defaultS3Limits, ...options.limits };
    const keys = keysOf(options, options.region);
    const client = makeS3Client(options, limits, signsBodies, keys);
    const calls = new S3Calls(limits, keys);
    try {
      const probe = { client, calls, options, signsBodies, onWarning };
      const abilities = options.readOnly ? await probeReading(probe) : await probeS3(probe);
      return new S3BlobStore({ client, calls, bucket: options.bucket, signsBodies }, options, keys, abilities, onWarning);
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  /** Closes the connections. Running requests fail. */
  close(): void {
    this.#place.client.destroy();
  }

  override async put(tenantId: TenantId, key: string, bytes: Uint8Array | readonly Uint8Array[], known?: KnownContent): Promise<void> {
    checkObjectName(tenantId, key);
    await this.#putWhole(tenantId, key, bodyOf(bytes, this.#checksums, known?.crc32c));
  }

  override async putIfAbsent(tenantId: TenantId, key: string, bytes: Uint8Array): Promise<boolean> {
    checkObjectName(tenantId, key);
    const body = bodyOf(bytes, this.#checksums, undefined);
    // Without conditional writes (the probe warns about this), we can only check first.
    const mayWrite = this.#abilities.conditionalPuts || (await this.has(tenantId, key)) === null;
    const write = (signal: AbortSignal) => this.#send(tenantId, key, body, this.#abilities.conditionalPuts, signal);
    const written = mayWrite && (await this.#place.calls.run(`create ${key}`, body.length, write));
    return written && this.#abilities.verifiesChecksums ? true : this.#isThere(tenantId, key, body);
  }

  override async putStream(tenantId: TenantId, key: string, pieces: () => AsyncIterable<Uint8Array>): Promise<number> {
    checkObjectName(tenantId, key);
    const target = {
      ...this.#place,
      name: nameOf(tenantId, key),
      checksums: this.#checksums,
      conditional: this.#abilities.conditionalPuts,
      verifies: this.#abilities.verifiesChecksums,
      partBytes,
      onWarning: this.#onWarning,
      bytesThere: () => this.has(tenantId, key),
      measure: () => this.#reader.measure(tenantId, key),
    };
    return putParts(target, pieces, (body) => this.#putWhole(tenantId, key, body));
  }

  override async get(tenantId: TenantId, key: string, range?: ByteRange): Promise<Buffer> {
    checkObjectName(tenantId, key);
    return this.#reader.get(tenantId, key, range);
  }

  override async getPieces(tenantId: TenantId, key: string): Promise<Buffer[]> {
    checkObjectName(tenantId, key);
    return this.#reader.getPieces(tenantId, key);
  }

  override async stream(tenantId: TenantId, key: string, range?: ByteRange): Promise<Readable> {
    checkObjectName(tenantId, key);
    return this.#reader.stream(tenantId, key, range);
  }

  override async has(tenantId: TenantId, key: string): Promise<number | null> {
    checkObjectName(tenantId, key);
    return this.#reader.length(tenantId, key);
  }

  override async delete(tenantId: TenantId, key: string): Promise<void> {
    checkObjectName(tenantId, key);
    const { client, calls, bucket } = this.#place;
    const command = new DeleteObjectCommand({ Bucket: bucket, Key: nameOf(tenantId, key) });
    await calls.run(`delete ${key}`, 0, async (abortSignal) => {
      try {
        await client.send(command, { abortSignal });
      } catch (error) {
        if (codeOf(error) !== 'NoSuchKey') throw error;
      }
    });
  }

  override async *list(tenantId: TenantId | null, prefix: string): AsyncGenerator<StoredObject> {
    checkListing(tenantId, prefix);
    if (tenantId !== null) yield* listObjects(this.#place, tenantId, prefix);
    else for await (const tenant of listTenants(this.#place)) yield* listObjects(this.#place, tenant, prefix);
  }

  override async presign(tenantId: TenantId, key: string, options: PresignOptions): Promise<string> {
    checkObjectName(tenantId, key);
    return this.#presigner.sign(nameOf(tenantId, key), options, await this.#clock.now(), await this.#keys.current());
  }

  /** A bucket has no limit that we can query. */
  override async freeBytes(): Promise<null> {
    return null;
  }

  /**
   * Accurate only to within five minutes, the tolerance for signature times, because the client
   * library ignores smaller differences.
   */
  override async now(): Promise<Date> {
    return new Date(await this.#clock.ask());
  }

  async #putWhole(tenantId: TenantId, key: string, body: S3Body): Promise<void> {
    const { conditionalPuts, verifiesChecksums } = this.#abilities;
    const send = (ifAbsent: boolean): Promise<boolean> =>
      this.#place.calls.run(`write ${key}`, body.length, (signal) => this.#send(tenantId, key, body, ifAbsent, signal));
    if (conditionalPuts) {
      if (!(await send(true))) {
        // The object already exists, perhaps from an earlier attempt of ours that lost its
        // response.
        if (await this.#isThere(tenantId, key, body)) return;
        await send(false);
      }
    } else {
      if (await this.#isThere(tenantId, key, body)) return;
      await send(false);
    }
    if (verifiesChecksums || (await this.#isThere(tenantId, key, body))) return;
    throw new Problem('store-unavailable', 'The object store did not store the bytes it was sent. Try again in a moment.');
  }

  /** False if `ifAbsent` and an object already exists. */
  async #send(tenantId: TenantId, key: string, body: S3Body, ifAbsent: boolean, abortSignal: AbortSignal): Promise<boolean> {
    const command = new PutObjectCommand({
      Bucket: this.#place.bucket,
      Key: nameOf(tenantId, key),
      ...body.guard,
      ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
      ...sentBody(body, this.#place.signsBodies),
      Metadata: { crc32c: crc32cHex(body.crc32c) },
    });
    try {
      await this.#place.client.send(command, { abortSignal });
      return true;
    } catch (error) {
      if (ifAbsent && statusOf(error) === 412) return false;
      throw error;
    }
  }

  /**
   * Whether the existing object has these bytes. Reads the object, because it may have been damaged
   * since it was written.
   */
  async #isThere(tenantId: TenantId, key: string, body: S3Body): Promise<boolean> {
    const there = await this.#reader.measure(tenantId, key);
    return there !== null && there.bytes === body.length && there.crc32c === body.crc32c;
  }
}
