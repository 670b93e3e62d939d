import { findSnapshot, type SnapshotPlace, type StoredSnapshot } from '#snapshots';
import { elementBytes, elementsOf, type ExportManifest } from './export-elements.ts';

/** Where an export's result is stored: the fingerprint of its snapshot. */
export interface ExportPlace extends SnapshotPlace {
  readonly fingerprint: string;
}

/** A finished export. */
export interface StoredExport {
  readonly manifest: ExportManifest;
  /** `manifest.json`. */
  readonly manifestBytes: Buffer;
  /** The bytes `[start, end)` of a file, given its position in the manifest. */
  read(file: number, start: number, end: number): AsyncGenerator<Uint8Array>;
}

/** Opens a finished export. Null if it does not exist. Damaged bytes throw `SnapshotDamaged`. */
export async function openExport(place: ExportPlace, manifests?: ManifestCache): Promise<StoredExport | null> {
  const stored = await findSnapshot(place);
  if (!stored) return null;
  const key = `${place.tenantId} ${stored.runId}`;
  const found = manifests?.get(key) ?? (await readManifest(stored));
  manifests?.put(key, found);
  const { manifest, manifestBytes, firstElements } = found;
  return {
    manifest,
    manifestBytes,
    read: async function* (file, start, end) {
      const before = firstElements[file]!;
      const first = Math.floor(start / elementBytes);
      let at = first * elementBytes;
      if (start >= end) return;
      for await (const element of stored.read(before + first, before + elementsOf(end))) {
        yield element.subarray(Math.max(0, start - at), end - at);
        at += element.length;
      }
    },
  };
}

interface Manifest {
  readonly manifest: ExportManifest;
  readonly manifestBytes: Buffer;
  /** The first element of each file. */
  readonly firstElements: Float64Array;
}

async function readManifest(stored: StoredSnapshot): Promise<Manifest> {
  const last: Uint8Array[] = [];
  for await (const element of stored.read(stored.elements - 1, stored.elements)) last.push(element);
  const manifestBytes = Buffer.concat(last);
  const manifest = JSON.parse(manifestBytes.toString()) as ExportManifest;
  const firstElements = new Float64Array(manifest.files.length);
  let elements = 0;
  for (const [file, { bytes }] of manifest.files.entries()) {
    firstElements[file] = elements;
    elements += elementsOf(bytes);
  }
  return { manifest, manifestBytes, firstElements };
}

/** Memory that a parsed manifest takes, as a multiple of its text size. This is an estimate. */
const parsedFactor = 4;

/**
 * An LRU cache of manifests, bounded in bytes. A download requests one file or file part at a time,
 * and an export with many files has a long manifest.
 */
export class ManifestCache {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #manifests = new Map<string, Manifest>();
  #bytes = 0;

  constructor(maxBytes = 32 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Manifest | null {
    return this.#manifests.get(key) ?? null;
  }

  /** Adds the manifest as the most recently used one. */
  put(key: string, manifest: Manifest): void {
    this.#drop(key);
    this.#manifests.set(key, manifest);
    this.#bytes += bytesOf(manifest);
    for (const oldest of this.#manifests.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#manifests.get(key);
    if (!kept) return;
    this.#manifests.delete(key);
    this.#bytes -= bytesOf(kept);
  }
}

function bytesOf({ manifestBytes }: Manifest): number {
  return manifestBytes.length * parsedFactor;
}
