import { createHash } from 'node:crypto';
import type { RunName, TagName } from '#model';

/** A file of an export. */
export interface ExportedFile {
  /** Relative, with slashes. */
  readonly path: string;
  /** Identifies the event file. Only if the format is `raw`. */
  readonly original?: OriginalName;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** An event file of an experiment. A run can have several versions of a file. */
export interface FileName {
  readonly run: RunName;
  readonly name: string;
  readonly version: number;
}

/**
 * An exported event file. If `rewritten`, deleted points are omitted; otherwise, it is byte for
 * byte as uploaded.
 */
export interface OriginalName extends FileName {
  readonly rewritten: boolean;
}

/** An event file that is not in the export because its bytes are not kept or are lost. */
export interface LeftOutFile extends FileName {
  readonly reason: 'original-gone' | 'stored-bytes-lost';
}

/** A file as listed in the manifest. If the format is `raw`, it names its event file. */
export interface ManifestFile extends Partial<OriginalName> {
  readonly path: string;
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** `manifest.json`: an export's files and their digests. */
export interface ExportManifest {
  readonly format: string;
  /** The version of the format. */
  readonly version: number;
  readonly experiment: string;
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  /** Everything acknowledged up to this epoch is in the export. */
  readonly frontier: number;
  /** Number of scalar points. Absent if the format is `raw`. */
  readonly points?: number;
  readonly files: readonly ManifestFile[];
  /** Only if the format is `raw`. */
  readonly left_out?: readonly LeftOutFile[];
}

/**
 * Size of each element except a file's last one. With it, any byte of a file can be located without
 * reading other elements.
 */
export const elementBytes = 1024 * 1024;

/** How many elements a file of this size has. */
export function elementsOf(bytes: number): number {
  return Math.ceil(bytes / elementBytes);
}

/**
 * The elements of the snapshot that stores an export: the bytes of each file in turn, then the
 * manifest.
 */
export async function* exportElements(
  files: AsyncIterable<ExportedFile>,
  manifest: (files: readonly ManifestFile[]) => ExportManifest,
): AsyncGenerator<Uint8Array> {
  const written: ManifestFile[] = [];
  for await (const { path, original, pieces } of files) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const element of inElements(pieces)) {
      hash.update(element);
      bytes += element.length;
      yield element;
    }
    written.push({ path, bytes, sha256: hash.digest('hex'), ...original });
  }
  yield Buffer.from(JSON.stringify(manifest(written)));
}

async function* inElements(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let element = Buffer.allocUnsafe(elementBytes);
  let filled = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const part = piece.subarray(from, from + elementBytes - filled);
      element.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < elementBytes) continue;
      yield element;
      element = Buffer.allocUnsafe(elementBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield element.subarray(0, filled);
}
