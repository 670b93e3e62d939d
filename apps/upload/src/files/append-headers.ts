import type { IncomingHttpHeaders } from 'node:http';
import { limits, Problem } from '#model';
import { type ContentDigests, parseContentDigest } from './content-digest.ts';
import { type Coding, codings } from './decode-body.ts';
import { bodyTooLarge } from './receive-body.ts';

/** What the header of an append says. */
export interface AppendHeaders {
  /** Of the first decoded byte in the file. */
  readonly offset: number;
  readonly coding: Coding;
  readonly digests: ContentDigests;
}

/** Compressed bytes can be a little more than what they hold; more than this much is no use to anybody. */
const maxOverheadBytes = 64 * 1024;

/** The most bytes of a body as sent. */
export function maxSentBytes(coding: Coding): number {
  return coding === 'identity' ? limits.maxAppendBytes : limits.maxAppendBytes + maxOverheadBytes;
}

/** Checks everything that can be said about an append before its body is read. */
export function parseAppendHeaders(headers: IncomingHttpHeaders): AppendHeaders {
  const coding = parseCoding(headers['content-encoding']);
  const offset = parseOffset(headers['upload-offset']);
  const digests = parseContentDigest(single(headers['content-digest']));
  if (Number(headers['content-length'] ?? 0) > maxSentBytes(coding)) throw bodyTooLarge(limits.maxAppendBytes);
  return { offset, coding, digests };
}

function parseCoding(field: string | undefined): Coding {
  const name = (field ?? 'identity').trim().toLowerCase();
  const coding = codings.find((candidate) => candidate === name);
  if (!coding) {
    throw new Problem(
      'unsupported-encoding',
      `The Content-Encoding ${JSON.stringify(name.slice(0, 80))} is not supported; use zstd, gzip or none.`,
    );
  }
  return coding;
}

function parseOffset(field: string | string[] | undefined): number {
  const text = single(field);
  const offset = text !== undefined && /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(offset + limits.maxAppendBytes)) {
    throw new Problem('bad-request', 'Send Upload-Offset: where in the file the first decoded byte of the body lies, a whole number.');
  }
  return offset;
}

function single(field: string | string[] | undefined): string | undefined {
  return Array.isArray(field) ? field.join(',') : field;
}
