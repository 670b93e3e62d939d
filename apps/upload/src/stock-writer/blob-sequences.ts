import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { crc32c } from '@node-rs/crc32';
import type { Caller } from '#auth';
import { isExperimentId, noSuchExperiment, requireExperiment } from '#experiments';
import { limits, Problem } from '#model';
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
  type TenantTransaction,
  type UploaderBlob,
  type UploaderSequence,
} from '#store';
import { checkRunName } from '../files/file-names.ts';
import type { UploadParts } from '../files/range-upload.ts';
import { blobRecords } from './request-records.ts';
import { ensureRunUnlessDeleted, type UploaderRequests } from './uploader-requests.ts';
import { wallTimeOf } from './wall-time.ts';

const MiB = 1024 * 1024;

/** Bytes of one blob; the handshake tells clients. */
export const maxUploaderBlobBytes = 32 * MiB;

/** Bytes of all blobs of a sequence: with their tag and metadata they become one record, and longer ones than `limits.maxRecordBytes` nobody reads. */
const maxSequenceBytes = limits.maxRecordBytes - limits.maxMetadataBytes - 2 * MiB;

/** Stands for the sequences of runs that were deleted: what is written to it goes nowhere. */
const nowhere = '00000000-0000-0000-0000-000000000000';

const graphTag = '__run_graph__';

/** A whole blob that has arrived. */
export interface ArrivedBlob extends UploaderBlob {
  readonly sequenceId: string;
  readonly body: Buffer;
}

/**
 * Sequences of blobs, which a client announces and then sends one blob at a time. A blob is durable when it is acknowledged; when all of a sequence are there, they become one record of
 * the ledger. The client may leave blobs out, mostly those that are too large: the last one, or the next value of the series, ends the sequence, and what is missing is an empty blob.
 */
export class BlobSequences {
  readonly #parts: UploadParts;
  readonly #requests: UploaderRequests;

  constructor(parts: UploadParts, requests: UploaderRequests) {
    this.#parts = parts;
    this.#requests = requests;
  }

  /** The id of the sequence of this run, tag and step. The same again gives the same, and what is then sent replaces what was. */
  async open(caller: Caller, request: GetOrCreateBlobSequenceRequest): Promise<string> {
    const { experimentId, tag, step, metadata } = request;
    if (!isExperimentId(experimentId)) throw noSuchExperiment();
    const run = checkRunName(request.run);
    if (request.finalSequenceLength < 0n || request.finalSequenceLength > BigInt(limits.maxValuesPerEvent))
      throw new Problem('bad-request', `A sequence may have at most ${limits.maxValuesPerEvent} blobs.`);
    const { tenantId } = caller;
    const value = { tag: Buffer.from(tag), step, wallTime: wallTimeOf(request.wallTime), metadata: Buffer.from(metadata) };
    if (value.tag.length > limits.maxTagBytes) {
      // As of a number with such a tag: whoever reads the record says that it cannot be kept, and the upload goes on.
      await this.#requests.take(caller, experimentId, blobRecords(run, value, []));
      return nowhere;
    }
    // Who announces and sends nothing fills tables, too.
    const ended = await this.#keep(tenantId, bytesOfSequence(value), async (trx) => {
      await requireExperiment(trx, caller, experimentId, 'experiment.upload');
      const runId = await ensureRunUnlessDeleted(trx, tenantId, experimentId, run);
      if (runId === null) return null;
      const place = { experimentId, runId, ...value, length: Number(request.finalSequenceLength) };
      const { sequenceId, grown } = await openUploaderSequence(trx, tenantId, randomUUID(), place);
      const before = await listOpenUploaderSequences(trx, tenantId, { sequenceId, runId, tag: place.tag });
      await addStoredBytes(trx, tenantId, experimentId, grown);
      return { sequenceId, before };
    });
    if (ended === null) return nowhere;
    for (const sequence of ended.before) await this.#finish(caller, sequence);
    // A graph that could not be read comes as a sequence without blobs: nothing to look at, and pages fail over it.
    if (request.finalSequenceLength === 0n && tag !== graphTag) await this.#finish(caller, await this.#find(caller, ended.sequenceId));
    return ended.sequenceId;
  }

  /** What is there of a blob; null: nothing. Throws `blob-not-found` where the sequence is not the caller's. */
  async state(caller: Caller, sequenceId: string, index: number): Promise<UploaderBlob | null> {
    if (sequenceId === nowhere) return null;
    const { sequenceId: known } = await this.#find(caller, sequenceId);
    const { store } = this.#parts;
    return store.withTenant(caller.tenantId, (trx) => readUploaderBlob(trx, caller.tenantId, known, index), { readOnly: true });
  }

  /** Throws where the caller may not write a blob of this size there; before it is read. */
  async check(caller: Caller, { blobSequenceId, index, blobBytes }: WriteBlobRequest): Promise<void> {
    if (blobBytes > BigInt(maxUploaderBlobBytes) || blobBytes < 0n)
      throw new Problem('body-too-large', `A blob may have at most ${maxUploaderBlobBytes} bytes.`);
    if (blobSequenceId === nowhere) return;
    const { length } = await this.#find(caller, blobSequenceId);
    if (index < 0n || index >= BigInt(length)) throw new Problem('bad-request', `The sequence has ${length} blobs, numbered from 0.`);
  }

  /** Keeps a blob, and with the last one the sequence. Throws `blob-exists` where another one was taken into the ledger already. */
  async put(caller: Caller, blob: ArrivedBlob): Promise<void> {
    if (blob.sequenceId === nowhere) return;
    const { tenantId } = caller;
    const ready = await this.#keep(tenantId, blob.size, async (trx) => {
      const sequence = await readUploaderSequence(trx, tenantId, blob.sequenceId, { lock: true });
      if (!sequence) throw noSuchSequence();
      await requireExperiment(trx, caller, sequence.experimentId, 'experiment.upload');
      const known = await readUploaderBlob(trx, tenantId, sequence.sequenceId, blob.index);
      if (!sequence.isOpen) {
        if (known?.size === blob.size && known.crc32c === blob.crc32c) return null;
        throw new Problem('blob-exists', 'This value already has its last blob. Announce its sequence again to replace it.');
      }
      const replaced = known?.held ? known.size : 0;
      if ((await readHeldBlobs(trx, tenantId, sequence.sequenceId)).bytes - replaced + blob.size > maxSequenceBytes)
        throw new Problem(
          'body-too-large',
          `The blobs of one value may have at most ${maxSequenceBytes} bytes together. Use \`plotline upload\` for this plugin, or log fewer at a time.`,
        );
      await putUploaderBlob(trx, tenantId, sequence.sequenceId, blob);
      // What waits here counts as stored, or sequences that never end could hold more than a workspace may have.
      await addStoredBytes(trx, tenantId, sequence.experimentId, blob.size - replaced);
      return blob.index === sequence.length - 1 ? sequence : null;
    });
    if (ready) await this.#finish(caller, ready);
  }

  /** One transaction that adds so many bytes, when there is room for them. */
  async #keep<T>(tenantId: string, bytes: number, work: (trx: TenantTransaction) => Promise<T>): Promise<T> {
    const { store, space, quotas } = this.#parts;
    await space.check();
    const room = await quotas.admit(tenantId, bytes);
    try {
      const made = await store.withTenant(tenantId, work);
      room.stored();
      return made;
    } finally {
      room.giveBack();
    }
  }

  /** Takes what has come of a sequence into the ledger, unless somebody else does so meanwhile. */
  async #finish(caller: Caller, sequence: UploaderSequence): Promise<void> {
    const { tenantId } = caller;
    const { sequenceId } = sequence;
    const { store, budget } = this.#parts;
    const share = budget.share(tenantId);
    try {
      let isTaken = false;
      for (let now: UploaderSequence | null = sequence; now?.isOpen && !isTaken;) {
        const held = await store.withTenant(tenantId, (trx) => readHeldBlobs(trx, tenantId, sequenceId), { readOnly: true });
        await share.take(2 * held.bytes); // the bodies, and the record of them
        isTaken = await this.#takeIfUnchanged(caller, now, held.digest);
        share.giveBack(2 * held.bytes);
        if (!isTaken) now = await store.withTenant(tenantId, (trx) => readUploaderSequence(trx, tenantId, sequenceId), { readOnly: true });
      }
    } finally {
      share.release();
    }
  }

  /** False: the sequence was changed, or taken, since it was read. */
  async #takeIfUnchanged(caller: Caller, sequence: UploaderSequence, digest: string): Promise<boolean> {
    const { tenantId } = caller;
    const { sequenceId, experimentId, run, length } = sequence;
    const { store } = this.#parts;
    const bodies = await store.withTenant(tenantId, (trx) => readUploaderBodies(trx, tenantId, sequenceId), { readOnly: true });
    const blobs = Array.from({ length }, (_, index) => bodies.get(index) ?? Buffer.alloc(0));
    const also = {
      // Locked as `put` locks them: the sequence, then the experiment's counts.
      first: async (trx: TenantTransaction): Promise<void> => {
        const now = await readUploaderSequence(trx, tenantId, sequenceId, { lock: true });
        if (!now || !isDeepStrictEqual(now, sequence) || (await readHeldBlobs(trx, tenantId, sequenceId)).digest !== digest)
          throw new SequenceChanged();
      },
      last: async (trx: TenantTransaction): Promise<void> => {
        await addStoredBytes(trx, tenantId, experimentId, -(await closeUploaderSequence(trx, tenantId, sequenceId)));
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
      async (trx) => {
        const sequence = await readUploaderSequence(trx, tenantId, sequenceId);
        if (!sequence) throw noSuchSequence();
        await requireExperiment(trx, caller, sequence.experimentId, 'experiment.upload').catch((error: unknown) => {
          // Who may not know the experiment learns nothing of its sequences either.
          throw error instanceof Problem && error.code === 'experiment-not-found' ? noSuchSequence() : error;
        });
        return sequence;
      },
      { readOnly: true },
    );
  }
}

/** Thrown out of a transaction that is to leave nothing behind. */
class SequenceChanged extends Error {}

/** The refusal of a sequence that is not there, or is another workspace's. */
function noSuchSequence(): Problem {
  return new Problem('blob-not-found', 'There is no such sequence of blobs. Announce it with GetOrCreateBlobSequence.');
}

/** The CRC-32C of a blob's pieces. */
export function crcOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((crc, piece) => crc32c(piece, crc), 0);
}
