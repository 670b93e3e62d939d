import type { ByteRange } from '#blobs';

/**
 * The part `[start, end)` of a resource of `bytes` bytes that a `Range` header requests (RFC 9110,
 * 14.2). Null means the whole resource; this includes headers that are ignored (other units,
 * several ranges, malformed). `unsatisfiable`: the range starts after the end.
 */
export function byteRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  if (match[1] === '') {
    const last = Number(match[2]);
    return last === 0 || bytes === 0 ? 'unsatisfiable' : { start: Math.max(0, bytes - last), end: bytes };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? bytes : Math.min(bytes, Number(match[2]) + 1);
  if (match[2] !== '' && Number(match[2]) < start) return null;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}
