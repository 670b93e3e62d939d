import { createHash } from 'node:crypto';
import { crc32cHex, type RunName } from '#model';

/** The part of a file that a digest covers: the durable bytes of one version. */
export interface DigestedFile {
  readonly run: RunName;
  readonly name: string;
  readonly version: number;
  readonly bytes: number;
  readonly crc32c: number;
}

/**
 * The digest of a receipt: SHA-256 over one line per file, sorted by bytes. A line is run NUL name
 * NUL version NUL bytes NUL crc32c LF, in UTF-8, numbers in decimal, the CRC-32C as eight
 * lowercase hexadecimal digits. Neither names nor numbers can contain NUL, so different sets of
 * files never have the same lines.
 */
export function receiptDigest(files: readonly DigestedFile[]): string {
  const lines = files.map(({ run, name, version, bytes, crc32c }) =>
    Buffer.from(`${run}\0${name}\0${version}\0${bytes}\0${crc32cHex(crc32c)}\n`),
  );
  lines.sort(Buffer.compare);
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line);
  return hash.digest('hex');
}
