import { createHash, type Hash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import { Problem } from '#model';

/** The digests that were sent with a body, as bytes. At least one is present. */
export interface ContentDigests {
  readonly crc32c: Buffer | null;
  readonly sha256: Buffer | null;
}

// A structured-field dictionary (RFC 8941, 3.2) with byte sequences as values: `crc32c=:AAAAAA==:,
// sha-256=:…:`.
const member = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):$/;

/**
 * Parses a `Content-Digest` field (RFC 9530, 2). Ignores unknown algorithms, as the RFC requires.
 */
export function parseContentDigest(field: string | undefined): ContentDigests {
  if (field === undefined || field.trim() === '') throw missing();
  let crc: Buffer | null = null;
  let sha256: Buffer | null = null;
  for (const part of field.split(',')) {
    const match = member.exec(part.trim());
    if (!match) throw new Problem('bad-request', 'The Content-Digest is malformed. Use crc32c=:BASE64: or sha-256=:BASE64: (RFC 9530).');
    const bytes = Buffer.from(match[2]!, 'base64');
    if (match[1] === 'crc32c') crc = ofLength(bytes, 4);
    if (match[1] === 'sha-256') sha256 = ofLength(bytes, 32);
  }
  if (!crc && !sha256) throw missing();
  return { crc32c: crc, sha256 };
}

/**
 * Checks the digests of a body piece by piece as the body arrives: checking a 16 MiB body in one
 * step would block other requests for milliseconds.
 */
export class ContentDigestCheck {
  readonly #digests: ContentDigests;
  readonly #sha256: Hash | null;
  #crc = 0;

  constructor(digests: ContentDigests) {
    this.#digests = digests;
    this.#sha256 = digests.sha256 ? createHash('sha256') : null;
  }

  /** Adds the next bytes of the body, as sent. */
  add(piece: Uint8Array): void {
    this.#crc = crc32c(piece, this.#crc);
    this.#sha256?.update(piece);
  }

  /** Throws `digest-mismatch` unless every digest matches. Returns the CRC-32C. */
  finish(): number {
    if (this.#digests.crc32c && this.#digests.crc32c.readUInt32BE(0) !== this.#crc) throw mismatch('crc32c');
    if (this.#sha256 && !this.#sha256.digest().equals(this.#digests.sha256!)) throw mismatch('sha-256');
    return this.#crc;
  }
}

function ofLength(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length)
    throw new Problem('bad-request', `A digest in Content-Digest has ${bytes.length} bytes instead of ${length}.`);
  return bytes;
}

function missing(): Problem {
  return new Problem('digest-missing', 'Send a Content-Digest of the body: crc32c=:BASE64: or sha-256=:BASE64: (RFC 9530).');
}

function mismatch(algorithm: string): Problem {
  return new Problem(
    'digest-mismatch',
    `The ${algorithm} of the body does not match its digest, so the body changed in transit. Nothing was kept; send the range again.`,
  );
}
