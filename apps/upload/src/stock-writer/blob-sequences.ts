import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { crc32c } from '@node-rs/crc32';
import type { Caller } from '#auth';
import { noSuchExperiment, requireExperiment } from '#experiments';
import { isExperimentId, limits, Problem, type TenantId } from '#model';
import type { GetOrCreateBlobSequenceRequest, WriteBlobRequest } from '#protocols';
import {
  addStoredBytes,
  bytesOfSequence,
  closeUploaderSequence,
  listOpenUploaderSequences,
  openUploaderSequence,
  putUploaderBlob,
  readHeldBlobs,
  readUploaderBlob,
  readUploaderBodies,
  readUploaderSequence,
  type TenantScope,
  type UploaderBlob,
  type UploaderSequence,
} from '#store';
import { checkRunName } from '../files/file-names.ts';
import type { UploadParts } from '../files/range-upload.ts';
import { blobRecords } from './request-records.ts';
import { ensureRunUnlessDeleted, type UploaderRequests } from './uploader-requests.ts';
import { wallTimeOf } from './wall-time.ts';

const MiB = 1024 * 1024;

/** Maximum bytes per blob, announced to clients in the handshake. */
export const maxUploaderBlobBytes = 32 * MiB;

/**
 * Maximum bytes of all blobs in a sequence. Together with their tag and metadata, they become one
 * record, and ingest does not read records longer than `limits.maxRecordBytes`.
 */
const maxSequenceBytes = limits.maxRecordBytes - limits.maxMetadataBytes - 2 * MiB;

/** Stands for the sequences of deleted runs; writes to it are discarded. */
const nowhere = '00000000-0000-0000-0000-000000000000';

const graphTag = '__run_graph__';

/** A complete received blob. */
export interface ArrivedBlob extends UploaderBlob {
  readonly sequenceId: string;
  readonly body: Buffer;
}

/**
 * Sequences of blobs, which a client announces and then sends blob by blob. A blob is durable when
 * it is acknowledged. When a sequence is complete, it becomes one record in the ledger. The client
 * may skip blobs, usually because they are too large. The last blob, or the next value of the
 * series, then ends the sequence, and missing blobs are stored as empty blobs.
 */
export class BlobSequences {
  readonly #parts: UploadParts;
  readonly #requests: UploaderRequests;

  constructor(parts: UploadParts, requests: UploaderRequests) {
    this.#parts = parts;
    this.#requests = requests;
  }

  /**
   * The id of the sequence for this run, tag and step. The same request returns the same id, and
   * blobs sent after it replace earlier ones.
   */
  async open(caller: Caller, request: GetOrCreateBlobSequenceRequest): Promise<string> {
    const { experimentId, tag, step, metadata } = request;
    if (!isExperimentId(experimentId)) throw noSuchExperiment();
    const run = checkRunName(request.run);
    if (request.finalSequenceLength < 0n || request.finalSequenceLength > BigInt(limits.maxValuesPerEvent))
      throw new Problem('bad-request', `A sequence may have at most ${limits.maxValuesPerEvent} blobs.`);
    const { tenantId } = caller;
    const value = { tag: Buffer.from(tag), step, wallTime: wallTimeOf(request.wallTime), metadata: Buffer.from(metadata) };
    if (value.tag.length > limits.maxTagBytes) {
      // Handled like a number with a tag that is too long: the record reader reports that the value
      // cannot be stored, and the upload continues.
      await this.#requests.take(caller, experimentId, blobRecords(run, value, []));
      return nowhere;
    }
    // Announcements without data also take up space in tables.
    const ended = await this.#keep(tenantId, bytesOfSequence(value), async (scope) => {
      await requireExperiment(scope, caller, experimentId, 'experiment.upload');
      const runId = await ensureRunUnlessDeleted(scope, experimentId, run);
      if (runId === null) return null;
      const place = { experimentId, runId, ...value, length: Number(request.finalSequenceLength) };
      const { sequenceId, grown } = await openUploaderSequence(scope, randomUUID(), place);
      const before = await listOpenUploaderSequences(scope, { sequenceId, runId, tag: place.tag });
      await addStoredBytes(scope, experimentId, grown);
      return { sequenceId, before };
    });
    if (ended === null) return nowhere;
    for (const sequence of ended.before) await this.#finish(caller, sequence);
    // An unreadable graph arrives as a sequence without blobs. It has no content, and pages cannot
    // show it.
    if (request.finalSequenceLength === 0n && tag !== graphTag) await this.#finish(caller, await this.#find(caller, ended.sequenceId));
    return ended.sequenceId;
  }

  /**
   * The state of a blob. Null if it was not received. Throws `blob-not-found` if the sequence does
   * not belong to the caller.
   */
  async state(caller: Caller, sequenceId: string, index: number): Promise<UploaderBlob | null> {
    if (sequenceId === nowhere) return null;
    const { sequenceId: known } = await this.#find(caller, sequenceId);
    const { store } = this.#parts;
    return store.withTenant(caller.tenantId, (scope) => readUploaderBlob(scope, known, index), { readOnly: true });
  }

  /**
   * Throws if the caller may not write a blob of this size there. Call this before reading the
   * blob.
   */
  async check(caller: Caller, { blobSequenceId, index, blobBytes }: WriteBlobRequest): Promise<void> {
    if (blobBytes > BigInt(maxUploaderBlobBytes) || blobBytes < 0n)
      throw new Problem('body-too-large', `A blob is limited to ${maxUploaderBlobBytes} bytes.`);
    if (blobSequenceId === nowhere) return;
    const { length } = await this.#find(caller, blobSequenceId);
    if (index < 0n || index >= BigInt(length)) throw new Problem('bad-request', `The sequence has ${length} blobs, numbered from 0.`);
  }

  /**
   * Stores a blob. If it is the last one, also stores the sequence. Throws `blob-exists` if a
   * different blob is already in the ledger.
   */
  async put(caller: Caller, blob: ArrivedBlob): Promise<void> {
    if (blob.sequenceId === nowhere) return;
    const { tenantId } = caller;
    const ready = await this.#keep(tenantId, blob.size, async (scope) => {
      const sequence = await readUploaderSequence(scope, blob.sequenceId, { lock: true });
      if (!sequence) throw noSuchSequence();
      await requireExperiment(scope, caller, sequence.experimentId, 'experiment.upload');
      const known = await readUploaderBlob(scope, sequence.sequenceId, blob.index);
      if (!sequence.isOpen) {
        if (known?.size === blob.size && known.crc32c === blob.crc32c) return null;
        throw new Problem('blob-exists', 'This value already has its last blob. To replace the value, announce its sequence again.');
      }
      const replaced = known?.held ? known.size : 0;
      if ((await readHeldBlobs(scope, sequence.sequenceId)).bytes - replaced + blob.size > maxSequenceBytes)
        throw new Problem(
          'body-too-large',
          `The blobs of one value are limited to ${maxSequenceBytes} bytes in total. Use \`plotline upload\` for this plugin, or log fewer blobs at a time.`,
        );
      await putUploaderBlob(scope, sequence.sequenceId, blob);
      // Incomplete sequences count as stored. Otherwise, sequences that never end could exceed the
      // workspace's quota.
      await addStoredBytes(scope, sequence.experimentId, blob.size - replaced);
      return blob.index === sequence.length - 1 ? sequence : null;
    });
    if (ready) await this.#finish(caller, ready);
  }

  /** Runs one transaction that adds this many bytes, if the quota allows them. */
  async #keep<T>(tenantId: TenantId, bytes: number, work: (scope: TenantScope) => Promise<T>): Promise<T> {
    const { store, space, quotas } = this.#parts;
    await space.check();
    using reservation = await quotas.admit(tenantId, bytes);
    const result = await store.withTenant(tenantId, work);
    reservation.stored();
    return result;
  }

  /**
   * Writes the received blobs of a sequence to the ledger, unless another request has already done
   * so.
   */
  async #finish(caller: Caller, sequence: UploaderSequence): Promise<void> {
    const { tenantId } = caller;
    const { sequenceId } = sequence;
    const { store, budget } = this.#parts;
    using share = budget.share(tenantId);
    let isTaken = false;
    for (let now: UploaderSequence | null = sequence; now?.isOpen && !isTaken;) {
      const held = await store.withTenant(tenantId, (scope) => readHeldBlobs(scope, sequenceId), { readOnly: true });
      await share.take(2 * held.bytes); // the bodies and their record
      isTaken = await this.#takeIfUnchanged(caller, now, held.digest);
      share.giveBack(2 * held.bytes);
      if (!isTaken) now = await store.withTenant(tenantId, (scope) => readUploaderSequence(scope, sequenceId), { readOnly: true });
    }
  }

  /** Returns false if the sequence was changed or written since it was read. */
  async #takeIfUnchanged(caller: Caller, sequence: UploaderSequence, digest: string): Promise<boolean> {
    const { tenantId } = caller;
    const { sequenceId, experimentId, run, length } = sequence;
    const { store } = this.#parts;
    const bodies = await store.withTenant(tenantId, (scope) => readUploaderBodies(scope, sequenceId), { readOnly: true });
    const blobs = Array.from({ length }, (_, index) => bodies.get(index) ?? Buffer.alloc(0));
    const also = {
      // Locks in the same order as `put`: first the sequence, then the experiment's counts.
      first: async (scope: TenantScope): Promise<void> => {
        const now = await readUploaderSequence(scope, sequenceId, { lock: true });
        if (!now || !isDeepStrictEqual(now, sequence) || (await readHeldBlobs(scope, sequenceId)).digest !== digest)
          throw new SequenceChanged();
      },
      last: async (scope: TenantScope): Promise<void> => {
        await addStoredBytes(scope, experimentId, -(await closeUploaderSequence(scope, sequenceId)));
      },
    };
    try {
      await this.#requests.take(caller, experimentId, blobRecords(run, sequence, blobs), { also });
      return true;
    } catch (error) {
      if (error instanceof SequenceChanged) return false;
      throw error;
    }
  }

  async #find(caller: Caller, sequenceId: string): Promise<UploaderSequence> {
    const { tenantId } = caller;
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sequenceId)) throw noSuchSequence();
    return this.#parts.store.withTenant(
      tenantId,
      async (scope) => {
        const sequence = await readUploaderSequence(scope, sequenceId);
        if (!sequence) throw noSuchSequence();
        await requireExperiment(scope, caller, sequence.experimentId, 'experiment.upload').catch((error: unknown) => {
          // Callers who may not see the experiment must not learn anything about its sequences.
          throw error instanceof Problem && error.code === 'experiment-not-found' ? noSuchSequence() : error;
        });
        return sequence;
      },
      { readOnly: true },
    );
  }
}

/** Thrown to roll back a transaction. */
class SequenceChanged extends Error {}

/** The error for a sequence that does not exist or belongs to another workspace. */
function noSuchSequence(): Problem {
  return new Problem('blob-not-found', 'There is no such blob sequence. Announce it with GetOrCreateBlobSequence.');
}

/** The CRC-32C over the pieces of a blob. */
export function crcOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((crc, piece) => crc32c(piece, crc), 0);
}
