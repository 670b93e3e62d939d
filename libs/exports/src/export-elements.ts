import { createHash } from 'node:crypto';

/** A file of an export. */
export interface ExportedFile {
  /** Relative, with slashes. */
  readonly path: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** A file, as the manifest lists it. */
export interface ManifestFile {
  readonly path: string;
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** `manifest.json`: the files of an export and their digests. */
export interface ExportManifest {
  readonly format: string;
  /** Of the format. */
  readonly version: number;
  readonly experiment: string;
  readonly runs: readonly string[] | null;
  readonly tags: readonly string[] | null;
  /** Everything acknowledged up to this epoch is in the export. */
  readonly frontier: number;
  /** Of scalars. */
  readonly points: number;
  readonly files: readonly ManifestFile[];
}

/** Bytes of each element except the last one of a file: a byte of a file is found without reading others. */
export const elementBytes = 1024 * 1024;

/** Elements of a file of this size. */
export function elementsOf(bytes: number): number {
  return Math.ceil(bytes / elementBytes);
}

/**
 * The elements of the snapshot that an export is stored in: the bytes of each file in turn, and at
 * last the manifest.
 */
export async function* exportElements(
  files: AsyncIterable<ExportedFile>,
  manifest: (files: readonly ManifestFile[]) => ExportManifest,
): AsyncGenerator<Uint8Array> {
  const written: ManifestFile[] = [];
  for await (const { path, pieces } of files) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const element of inElements(pieces)) {
      hash.update(element);
      bytes += element.length;
      yield element;
    }
    written.push({ path, bytes, sha256: hash.digest('hex') });
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
