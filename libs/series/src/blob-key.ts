import { isExperimentId, isFileId, isSeriesId } from '#model';
import type { BlobPlace } from '#store';

const version = 1;

/**
 * The key of a blob in URLs: unpadded base64url of `[version, experiment, series, file, ordinal,
 * index]`. It identifies the blob's position, never its content: a key alone gives no access to the
 * experiment, and equal blobs cannot be guessed from hashes.
 */
export function writeBlobKey({ experimentId, seriesId, fileId, ordinal, index }: BlobPlace): string {
  return Buffer.from(JSON.stringify([version, experimentId, seriesId, fileId, ordinal, index])).toString('base64url');
}

/** Parses a key; null for anything else. */
export function readBlobKey(key: string): BlobPlace | null {
  if (!/^[A-Za-z0-9_-]{1,300}$/.test(key)) return null;
  const parts = parse(Buffer.from(key, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || parts.length !== 6 || parts[0] !== version) return null;
  const [, experimentId, seriesId, fileId, ordinal, index] = parts as unknown[];
  if (typeof experimentId !== 'string' || !isExperimentId(experimentId)) return null;
  if (
    typeof seriesId !== 'string' ||
    !isSeriesId(seriesId) ||
    typeof fileId !== 'string' ||
    !isFileId(fileId) ||
    !isCount(ordinal) ||
    !isCount(index)
  )
    return null;
  return { experimentId, seriesId, fileId, ordinal, index };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not JSON: not a key
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
