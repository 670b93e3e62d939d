import { BlobNotFound, type BlobStore } from '#blobs';
import type { TenantId } from '#model';
import type { Compression } from './compression.ts';

/** The operations of a blob store that snapshots need. */
export type SnapshotBlobs = Pick<BlobStore, 'get' | 'put' | 'putIfAbsent' | 'delete' | 'list'>;

/** Where snapshots are, and the clock that determines what has expired. */
export interface SnapshotPlace {
  readonly blobs: SnapshotBlobs;
  readonly tenantId: TenantId;
  /** Milliseconds since 1970 by the store's clock, which all processes share. */
  readonly now: () => Promise<number>;
}

/** `snapshot.metadata`: a run has started to write. */
export interface Claim {
  readonly run_id: string;
  /** Milliseconds since 1970. */
  readonly started_at: number;
}

/** A chunk, as `metadata.final` lists it. */
export interface ChunkEntry {
  readonly number: number;
  /** As stored, and before compression. */
  readonly bytes: number;
  readonly plain_bytes: number;
  readonly crc32c: number;
  readonly elements: number;
}

/** `metadata.final` of a complete snapshot. */
export interface Complete extends Claim {
  readonly complete: true;
  readonly compression: Compression;
  readonly elements: number;
  readonly splits: readonly (readonly ChunkEntry[])[];
}

/**
 * `metadata.final` of a run that cannot complete anymore: it expired, or gave up. It remains, so a
 * late attempt by the run fails.
 */
export interface Ended {
  readonly complete: false;
  readonly run_id: string;
}

/**
 * The keys of one fingerprint. A run that takes over from an expired run is the next generation:
 * `metadata-G` is its claim, `final-G` its end, `G-RUN-NUMBER` are its chunks. Claims and ends are
 * created once and never replaced, so each is decided by one conditional write. A generation starts
 * only after the previous one has ended.
 */
export const snapshotKeys = {
  claim: (fingerprint: string, generation: number): string => `snapshot/${fingerprint}/metadata-${generation}`,
  final: (fingerprint: string, generation: number): string => `snapshot/${fingerprint}/final-${generation}`,
  chunk: (fingerprint: string, generation: number, runId: string, number: number): string =>
    `snapshot/${fingerprint}/${generation}-${runId}-${String(number).padStart(8, '0')}`,
};

/** The generation of a chunk; null if the key is not a chunk's key. */
export function generationOf(key: string): { readonly fingerprint: string; readonly generation: number | null } | null {
  const match = /^snapshot\/([0-9a-f]{64})\/(?:(\d+)-|metadata-|final-)/.exec(key);
  return match && { fingerprint: match[1]!, generation: match[2] === undefined ? null : Number(match[2]) };
}

/** The fingerprint in any key of a snapshot; null for other keys. */
export function fingerprintOfKey(key: string): string | null {
  return generationOf(key)?.fingerprint ?? null;
}

/** The last generation of a fingerprint, and its state. */
export type Standing =
  | { readonly is: 'free'; readonly generation: number }
  | { readonly is: 'pending'; readonly generation: number; readonly claim: Claim }
  | { readonly is: 'complete'; readonly generation: number; readonly final: Complete };

/** Determines the state of a fingerprint. */
export async function standingOf({ blobs, tenantId }: SnapshotPlace, fingerprint: string): Promise<Standing> {
  for (let generation = 0; ; generation++) {
    const final = await readJson<Complete | Ended>(blobs, tenantId, snapshotKeys.final(fingerprint, generation));
    if (final?.complete) return { is: 'complete', generation, final };
    if (final) continue;
    const claim = await readJson<Claim>(blobs, tenantId, snapshotKeys.claim(fingerprint, generation));
    return claim ? { is: 'pending', generation, claim } : { is: 'free', generation };
  }
}

/** Creates the end of a generation. Returns false if it already has one. */
export async function endGeneration(
  { blobs, tenantId }: SnapshotPlace,
  fingerprint: string,
  generation: number,
  final: Complete | Ended,
): Promise<boolean> {
  return blobs.putIfAbsent(tenantId, snapshotKeys.final(fingerprint, generation), Buffer.from(JSON.stringify(final)));
}

async function readJson<T>(blobs: SnapshotBlobs, tenantId: TenantId, key: string): Promise<T | null> {
  try {
    return JSON.parse((await blobs.get(tenantId, key)).toString()) as T;
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
}
