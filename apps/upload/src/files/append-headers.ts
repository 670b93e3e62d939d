import type { IncomingHttpHeaders } from 'node:http';
import { limits, Problem } from '#model';
import { type ContentDigests, parseContentDigest } from './content-digest.ts';
import { type Coding, codings } from './decode-body.ts';
import { bodyTooLarge } from './receive-body.ts';

/** The parsed headers of an append. */
export interface AppendHeaders {
  /** Offset in the file of the first decoded byte. */
  readonly offset: number;
  readonly coding: Coding;
  /** Whether the file ends with the range. */
  readonly last: boolean;
  readonly digests: ContentDigests;
  /** The announced length; 0 if the sender announces none. */
  readonly sentBytes: number;
}

/**
 * Maximum overhead of a compressed body, in bytes. Compressed bytes can be slightly longer than
 * their content; more overhead is useless.
 */
const maxOverheadBytes = 64 * 1024;

/** Maximum length of a body as sent, in bytes. */
export function maxSentBytes(coding: Coding): number {
  return coding === 'identity' ? limits.maxAppendBytes : limits.maxAppendBytes + maxOverheadBytes;
}

/** Checks everything about an append that can be checked before its body is read. */
export function parseAppendHeaders(headers: IncomingHttpHeaders): AppendHeaders {
  const coding = parseCoding(headers['content-encoding']);
  const offset = parseOffset(headers['upload-offset']);
  const digests = parseContentDigest(single(headers['content-digest']));
  const sentBytes = Number(headers['content-length'] ?? 0);
  if (sentBytes > maxSentBytes(coding)) throw bodyTooLarge(limits.maxAppendBytes);
  return { offset, coding, last: parseLast(single(headers['upload-complete'])), digests, sentBytes };
}

function parseCoding(field: string | undefined): Coding {
  const name = (field ?? 'identity').trim().toLowerCase();
  const coding = codings.find((candidate) => candidate === name);
  if (!coding) {
    throw new Problem(
      'unsupported-encoding',
      `The Content-Encoding ${JSON.stringify(name.slice(0, 80))} is not supported; use ${codings.filter((known) => known !== 'identity').join(', ')} or none.`,
    );
  }
  return coding;
}

function parseOffset(field: string | string[] | undefined): number {
  const text = single(field);
  const offset = text !== undefined && /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(offset + limits.maxAppendBytes)) {
    throw new Problem('bad-request', 'Send Upload-Offset: the position of the first decoded byte in the file, a whole number.');
  }
  return offset;
}

/**
 * Parses `Upload-Complete`, a boolean in the syntax of structured fields (RFC 9651, 3.3.6;
 * draft-ietf-httpbis-resumable-upload, 4.1.2).
 */
function parseLast(field: string | undefined): boolean {
  if (field === undefined || field.trim() === '?0') return false;
  if (field.trim() === '?1') return true;
  throw new Problem('bad-request', 'Set Upload-Complete to ?1 for the last range of the file; otherwise, set it to ?0 or omit it.');
}

function single(field: string | string[] | undefined): string | undefined {
  return Array.isArray(field) ? field.join(',') : field;
}
