import { randomBytes } from 'node:crypto';
import { autoCompression, type Compression } from './compression.ts';
import { readSplits } from './read-splits.ts';
import { type Claim, endGeneration, snapshotKeys, type SnapshotPlace, standingOf } from './snapshot-place.ts';
import { SplitWriter } from './split-writer.ts';

/**
 * WRITE: the elements come from the source and are saved. PASSTHROUGH: they come from the source
 * while another run saves them. READ: they come from the snapshot.
 */
export type SnapshotState = 'WRITE' | 'PASSTHROUGH' | 'READ';

/** Options of {@link snapshot}. */
export interface SnapshotOptions extends SnapshotPlace {
  /** The result of {@link fingerprintOf}. */
  readonly fingerprint: string;
  /** Time after which an unfinished run is taken over; a day by default. */
  readonly pendingExpirySeconds?: number;
  readonly compression?: Compression | 'auto';
  /**
   * Distributes elements to splits, which are written in parallel; by default round-robin to four
   * splits. Only round-robin restores the order of the source.
   */
  readonly writer?: { readonly splits: number; readonly splitOf?: (index: number, element: Uint8Array) => number };
  /** With a seed, the splits are interleaved in an order that depends only on the seed. */
  readonly reader?: { readonly shuffleSeed?: number };
  /** Bytes of a chunk before compression. A whole chunk is in memory. */
  readonly chunkBytes?: number;
}

/** The elements of a source, and where they come from. */
export interface Snapshot {
  readonly state: SnapshotState;
  readonly elements: AsyncIterable<Uint8Array>;
  /**
   * In the state WRITE, once all elements have been read: whether they became the snapshot. False
   * if the run was taken over.
   */
  readonly isFinal: boolean;
}

const daySeconds = 86_400;
const defaultChunkBytes = 1024 * 1024;

/**
 * Persists the elements of a source once for each fingerprint. The first caller writes while it
 * reads the source. Callers during this time read the source and save nothing; all later callers
 * read the stored elements. A writer that stops before the end of its source saves nothing.
 * Elements must not be changed after they are yielded.
 */
export async function snapshot(source: () => AsyncIterable<Uint8Array>, options: SnapshotOptions): Promise<Snapshot> {
  const { blobs, tenantId, fingerprint } = options;
  for (;;) {
    const standing = await standingOf(options, fingerprint);
    if (standing.is === 'complete') {
      const { generation, final } = standing;
      const chunkKey = (number: number) => snapshotKeys.chunk(fingerprint, generation, final.run_id, number);
      const elements = readSplits({ blobs, tenantId, chunkKey, final, shuffleSeed: options.reader?.shuffleSeed ?? null });
      return { state: 'READ', elements, isFinal: true };
    }
    const { generation } = standing;
    if (standing.is === 'pending') {
      const age = (await options.now()) - standing.claim.started_at;
      if (age <= (options.pendingExpirySeconds ?? daySeconds) * 1000) return { state: 'PASSTHROUGH', elements: source(), isFinal: false };
      await endGeneration(options, fingerprint, generation, { complete: false, run_id: standing.claim.run_id });
      continue;
    }
    const claim: Claim = { run_id: randomBytes(8).toString('hex'), started_at: await options.now() };
    const key = snapshotKeys.claim(fingerprint, generation);
    if (await blobs.putIfAbsent(tenantId, key, Buffer.from(JSON.stringify(claim))))
      return new WritingSnapshot(source, options, generation, claim);
  }
}

/** A complete snapshot that can be read from any element. */
export interface StoredSnapshot {
  /** The id of the run that wrote it. The same id means the same elements. */
  readonly runId: string;
  readonly elements: number;
  /**
   * The elements `[from, to)` of the source, in order; the source must have been distributed
   * round-robin.
   */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

/** The complete snapshot of a fingerprint, or null. */
export async function findSnapshot(place: SnapshotPlace & { readonly fingerprint: string }): Promise<StoredSnapshot | null> {
  const { blobs, tenantId, fingerprint } = place;
  const standing = await standingOf(place, fingerprint);
  if (standing.is !== 'complete') return null;
  const { generation, final } = standing;
  const chunkKey = (number: number) => snapshotKeys.chunk(fingerprint, generation, final.run_id, number);
  return {
    runId: final.run_id,
    elements: final.elements,
    read: (from, to) => readSplits({ blobs, tenantId, chunkKey, final, shuffleSeed: null, from, to }),
  };
}

class WritingSnapshot implements Snapshot {
  readonly state = 'WRITE';
  readonly elements: AsyncIterable<Uint8Array>;
  #isFinal = false;

  constructor(source: () => AsyncIterable<Uint8Array>, options: SnapshotOptions, generation: number, claim: Claim) {
    this.elements = this.#write(source, options, generation, claim);
  }

  get isFinal(): boolean {
    return this.#isFinal;
  }

  async *#write(
    source: () => AsyncIterable<Uint8Array>,
    options: SnapshotOptions,
    generation: number,
    claim: Claim,
  ): AsyncGenerator<Uint8Array> {
    const { blobs, tenantId, fingerprint } = options;
    const compression = options.compression === undefined || options.compression === 'auto' ? autoCompression : options.compression;
    const { splits, splitOf } = { splits: 4, ...options.writer };
    const writer = new SplitWriter({
      blobs,
      tenantId,
      chunkKey: (number) => snapshotKeys.chunk(fingerprint, generation, claim.run_id, number),
      compression,
      splits,
      splitOf: splitOf ?? ((index) => index % splits),
      chunkBytes: options.chunkBytes ?? defaultChunkBytes,
    });
    let outcome: 'stopped' | 'unknown' | 'lost' | 'final' = 'stopped';
    try {
      for await (const element of source()) {
        await writer.add(element);
        yield element;
      }
      const written = await writer.finish();
      // If the next call fails, the snapshot can be complete anyway.
      outcome = 'unknown';
      this.#isFinal = await endGeneration(options, fingerprint, generation, { ...claim, complete: true, compression, ...written });
      outcome = this.#isFinal ? 'final' : 'lost';
    } finally {
      if (outcome === 'stopped') await endGeneration(options, fingerprint, generation, { complete: false, run_id: claim.run_id });
      if (outcome === 'stopped' || outcome === 'lost') await writer.removeAll();
    }
  }
}
