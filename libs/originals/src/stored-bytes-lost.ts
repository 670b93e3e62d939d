import { BlobDamaged, BlobNotFound } from '#blobs';
import { Problem } from '#model';
import { count } from '#telemetry';
import { OriginalDamaged } from './original-index.ts';

/**
 * The problem for a reader if stored bytes are now missing or damaged. Also counts it in a metric.
 * `what` starts a sentence, e.g. `Bytes 0 to 100 of this file`.
 */
export function storedBytesLost(what: string, cause?: unknown): Problem {
  count('lostBytesFound');
  return new Problem(
    'stored-bytes-lost',
    `${what} were stored, but are now missing or damaged. Everything else in the experiment can be read. Tell the operator of this service, who can restore them from a backup.`,
    { cause },
  );
}

/**
 * For `catch`: if an error means that stored bytes are lost, replaces it with {@link
 * storedBytesLost}.
 */
export function bytesLost(what: string): (error: unknown) => never {
  return (error) => {
    const isLost = error instanceof OriginalDamaged || error instanceof BlobDamaged || error instanceof BlobNotFound;
    throw isLost ? storedBytesLost(what, error) : error;
  };
}
