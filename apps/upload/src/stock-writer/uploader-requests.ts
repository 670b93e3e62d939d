import { crc32c } from '@node-rs/crc32';
import type { Caller } from '#auth';
import type { BlobStore } from '#blobs';
import { noSuchExperiment, requireExperiment } from '#experiments';
import type { Dispatcher } from '#jobs';
import { type ExperimentId, type FileId, isExperimentId, Problem, type RunId, type TenantId } from '#model';
import { shrinkSegment } from '#originals';
import { ensureRun, insertFile, insertUploaderRequest, lockFiles, readFileVersions, type StoredBytes, type TenantScope } from '#store';
import { count, failpoint } from '#telemetry';
import type { FileReservation } from '../admission/quota-admission.ts';
import { acknowledge, type Append } from '../files/acknowledger.ts';
import { inCommitTries } from '../files/commit-tries.ts';
import type { UploadParts } from '../files/range-upload.ts';
import { storeRange } from '../files/store-range.ts';
import type { RequestRecords, RunRecords } from './request-records.ts';

/**
 * The name of the event file to which all requests of a run are written. The run's uploaded event
 * files are kept beside it.
 */
export const uploaderFile = 'events.out.tfevents.0000000000.uploader';

/**
 * Records of one tag are close together and compress to a few bytes each. Larger pieces are stored
 * as objects, so that rows stay small.
 */
const maxInlineBytes = 256 * 1024;

/** Maximum cached files of runs that are being written, about 4 MB. */
const maxFiles = 20_000;

/** A piece of a run's records. It is ready to be acknowledged except for its offset. */
interface StoredPiece {
  readonly length: number;
  readonly crc32c: number;
  readonly location: StoredBytes;
}

/**
 * Additional work in the transaction that stores a request or finds it already stored: before files
 * are locked, and at the end.
 */
export interface Also {
  first(scope: TenantScope): Promise<void>;
  last(scope: TenantScope): Promise<void>;
}

/** Options for storing a request. */
export interface TakeOptions {
  readonly also?: Also;
  /** Aborted if the caller no longer waits. Work that has not started is then skipped. */
  readonly signal?: AbortSignal;
}

const nothing: Also = { first: async () => undefined, last: async () => undefined };
const never = new AbortController().signal;

/** Maximum files created per transaction, because a request can name thousands of runs. */
const filesAtOnce = 200;

/**
 * Writes uploader requests to the ledger. Each run's records are appended to one file of the run,
 * while the file's row is locked. A request and the record that it was stored are written in one
 * transaction. So however often a request is sent, it counts once, and either completely or not at
 * all.
 */
export class UploaderRequests {
  readonly #parts: UploadParts;
  readonly #dispatcher: Dispatcher;
  readonly #files = new Map<string, FileId>();

  constructor(parts: UploadParts, dispatcher: Dispatcher) {
    this.#parts = parts;
    this.#dispatcher = dispatcher;
  }

  /**
   * Resolves when everything is durable. Data of runs that were deleted in the meantime is skipped.
   * Throws `experiment-not-found`, `forbidden`, `experiment-frozen`, and the errors of admission;
   * if it throws, nothing is stored.
   */
  async take(
    caller: Caller,
    experimentId: string,
    { runs, hash }: RequestRecords,
    { also = nothing, signal = never }: TakeOptions = {},
  ): Promise<void> {
    if (!isExperimentId(experimentId)) throw noSuchExperiment();
    const { tenantId } = caller;
    const { slots, admission, space, quotas } = this.#parts;
    const bytes = runs.reduce((sum, { pieces }) => sum + bytesOf(pieces), 0);
    using held = new DisposableStack();
    held.use(slots.take(tenantId));
    const permit = held.use(await admission.admit(tenantId, bytes));
    await space.check();
    const reservation = held.use(await quotas.admit(tenantId, bytes));
    const grown = await this.#write(caller, experimentId, { runs, hash }, { also, signal });
    if (grown === 0) return;
    permit.acknowledged(grown);
    reservation.stored();
  }

  /** Returns the bytes added to the ledger. */
  async #write(
    caller: Caller,
    experimentId: ExperimentId,
    { runs, hash }: RequestRecords,
    { also, signal }: Required<TakeOptions>,
  ): Promise<number> {
    // Each attempt stores its own objects: an earlier attempt may have been committed, and then
    // owns its objects.
    const grown = await inCommitTries(async () => {
      const files = await this.#filesOf(caller, experimentId, runs, signal);
      const stored = await this.#store(caller.tenantId, runs, files, signal);
      signal.throwIfAborted();
      const grownBytes = await this.#commit(caller, experimentId, stored, hash, also);
      if (grownBytes === null) for (const { run } of runs) this.#files.delete(keyOf(caller.tenantId, experimentId, run));
      return grownBytes;
    });
    if (grown === null) throw new Error('the files of a request disappeared repeatedly');
    return grown;
  }

  /** Returns the bytes added to the ledger. Null if a cached file was removed with its run. */
  async #commit(
    caller: Caller,
    experimentId: ExperimentId,
    stored: ReadonlyMap<FileId, readonly StoredPiece[]>,
    hash: Buffer,
    also: Also,
  ): Promise<number | null> {
    const { tenantId } = caller;
    const { store, blobs } = this.#parts;
    let grownRuns: ReadonlySet<RunId> = new Set();
    let known = false;
    const work = async (scope: TenantScope): Promise<number> => {
      await requireExperiment(scope, caller, experimentId, 'experiment.upload');
      // An empty request leaves no trace, so it cannot be used to fill a table.
      known = stored.size > 0 && !(await insertUploaderRequest(scope, experimentId, hash));
      await also.first(scope);
      if (known || stored.size === 0) {
        await also.last(scope);
        return 0;
      }
      const locked = await lockFiles(scope, [...stored.keys()]);
      if (locked.length < stored.size) throw new FileMoved();
      const appends: Append[] = [];
      for (const { fileId, durableOffset, runDeleted } of locked) {
        let offset = durableOffset;
        for (const piece of runDeleted ? [] : stored.get(fileId)!) {
          appends.push({ fileId, offset, ...piece });
          offset += piece.length;
        }
      }
      const made = await acknowledge(scope, experimentId, appends);
      await also.last(scope);
      grownRuns = made.grownRuns;
      return made.grownBytes;
    };
    const grown = await store.withTenant(tenantId, work).catch((error: unknown) => {
      if (error instanceof FileMoved) return null;
      throw error;
    });
    await failpoint('after-ledger-commit');
    if (known) await Promise.all(objectsOf(stored).map((key) => blobs.delete(tenantId, key))); // no other request refers to them
    if (grown !== null) count('acknowledgedBytes', grown);
    for (const runId of grownRuns) this.#dispatcher.offer({ tenantId, experimentId, runId });
    return grown;
  }

  /**
   * Makes the records durable, unless they are small enough for their rows, which are committed
   * soon. Returns the records by file.
   */
  async #store(
    tenantId: TenantId,
    runs: readonly RunRecords[],
    files: ReadonlyMap<string, FileId>,
    signal: AbortSignal,
  ): Promise<Map<FileId, StoredPiece[]>> {
    const { blobs } = this.#parts;
    const stored = new Map<FileId, StoredPiece[]>();
    for (const { run, pieces } of runs) {
      const fileId = files.get(run);
      if (fileId === undefined) continue; // deleted
      signal.throwIfAborted();
      const own = stored.get(fileId) ?? [];
      for (const piece of pieces) own.push(await storePiece(blobs, tenantId, fileId, piece));
      stored.set(fileId, own);
    }
    return stored;
  }

  /** The file of each run, created if it does not exist. A deleted run has none. */
  async #filesOf(
    caller: Caller,
    experimentId: ExperimentId,
    runs: readonly RunRecords[],
    signal: AbortSignal,
  ): Promise<Map<string, FileId>> {
    const { tenantId } = caller;
    const { store, quotas } = this.#parts;
    const files = new Map<string, FileId>();
    for (const { run } of runs) {
      const fileId = this.#files.get(keyOf(tenantId, experimentId, run));
      if (fileId !== undefined) files.set(run, fileId);
    }
    // The order is fixed, so that two requests that create the same runs cannot deadlock.
    const unknown = [...new Set(runs.map(({ run }) => run))].filter((run) => !files.has(run)).sort();
    if (unknown.length === 0) return files;
    for (let from = 0; from < unknown.length; from += filesAtOnce) {
      signal.throwIfAborted();
      const reservation = await quotas.reserveFiles(tenantId);
      const made = await store.withTenant(tenantId, async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.upload');
        const found = new Map<string, FileId>();
        for (const run of unknown.slice(from, from + filesAtOnce)) {
          const fileId = await ensureUploaderFile(scope, { experimentId, run, reservation });
          if (fileId !== null) found.set(run, fileId);
        }
        return found;
      });
      for (const [run, fileId] of made) {
        files.set(run, fileId);
        if (this.#files.size >= maxFiles) this.#files.delete(this.#files.keys().next().value!);
        this.#files.set(keyOf(tenantId, experimentId, run), fileId);
      }
      reservation.made();
    }
    return files;
  }
}

/** Thrown to roll back a transaction. */
class FileMoved extends Error {}

async function ensureUploaderFile(
  scope: TenantScope,
  { experimentId, run, reservation }: { readonly experimentId: ExperimentId; readonly run: string; readonly reservation: FileReservation },
): Promise<FileId | null> {
  const runId = await ensureRunUnlessDeleted(scope, experimentId, run);
  if (runId === null) return null;
  for (;;) {
    const [file] = await readFileVersions(scope, runId, uploaderFile);
    if (file) return file.fileId;
    reservation.take();
    const fileId = await insertFile(scope, { experimentId, runId, name: uploaderFile, version: 1 });
    if (fileId !== null) return fileId;
    // Another request created the file at the same moment and has committed, so the file is looked
    // up again.
  }
}

/** Returns null if the run was deleted from the experiment. */
export async function ensureRunUnlessDeleted(scope: TenantScope, experimentId: ExperimentId, run: string): Promise<RunId | null> {
  try {
    const runId = await ensureRun(scope, experimentId, run);
    if (runId === null) throw noSuchExperiment();
    return runId;
  } catch (error) {
    if (error instanceof Problem && error.code === 'run-deleted') return null;
    throw error;
  }
}

async function storePiece(blobs: BlobStore, tenantId: TenantId, fileId: FileId, piece: Buffer): Promise<StoredPiece> {
  const checked = { length: piece.length, crc32c: crc32c(piece) };
  const shrunk = await shrinkSegment(piece);
  const body = shrunk?.stored ?? piece;
  if (body.length <= maxInlineBytes) return { ...checked, location: { body, objectKey: null, encoding: shrunk?.encoding ?? 0 } };
  // The offset is unknown before the file is locked. In the object's name, the offset is only
  // informative.
  return { ...checked, location: await storeRange(blobs, tenantId, { fileId, offset: 0, ...checked, pieces: [piece], coded: null }) };
}

function bytesOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function objectsOf(stored: ReadonlyMap<FileId, readonly StoredPiece[]>): string[] {
  return [...stored.values()].flat().flatMap(({ location: { objectKey } }) => (objectKey === null ? [] : [objectKey]));
}

function keyOf(tenantId: TenantId, experimentId: ExperimentId, run: string): string {
  return `${tenantId}/${experimentId}/${run}`;
}
