import { findSnapshot, type SnapshotPlace } from '#snapshots';
import { elementBytes, elementsOf, type ExportManifest } from './export-elements.ts';

/** Where the result of an export is: the fingerprint of its snapshot. */
export interface ExportPlace extends SnapshotPlace {
  readonly fingerprint: string;
}

/** A finished export. */
export interface StoredExport {
  readonly manifest: ExportManifest;
  /** `manifest.json`. */
  readonly manifestBytes: Buffer;
  /** The bytes `[start, end)` of a file, by its place in the manifest. */
  read(file: number, start: number, end: number): AsyncGenerator<Uint8Array>;
}

/** Opens a finished export; null: it is not there. Damaged bytes throw `SnapshotDamaged`. */
export async function openExport(place: ExportPlace): Promise<StoredExport | null> {
  const stored = await findSnapshot(place);
  if (!stored) return null;
  const last: Uint8Array[] = [];
  for await (const element of stored.from(stored.elements - 1)) last.push(element);
  const manifestBytes = Buffer.concat(last);
  const manifest = JSON.parse(manifestBytes.toString()) as ExportManifest;
  return {
    manifest,
    manifestBytes,
    read: async function* (file, start, end) {
      const before = manifest.files.slice(0, file).reduce((sum, { bytes }) => sum + elementsOf(bytes), 0);
      const first = Math.floor(start / elementBytes);
      let at = first * elementBytes;
      if (start >= end) return;
      for await (const element of stored.from(before + first)) {
        yield element.subarray(Math.max(0, start - at), end - at);
        at += element.length;
        if (at >= end) return;
      }
    },
  };
}
