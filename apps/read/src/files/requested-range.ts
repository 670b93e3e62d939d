/** Bytes `[start, end)`. */
export interface RequestedRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What a `Range` field asks of a thing of `size` bytes (RFC 9110, 14.2). `all`: no range, several, or a form that is not understood, all of which
 * a server may answer with the whole. `unsatisfiable`: it lies outside.
 */
export function requestedRange(field: string | undefined, size: number): RequestedRange | 'all' | 'unsatisfiable' {
  const match = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/.exec(field?.trim() ?? '');
  if (!match) return 'all';
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    if (Number(suffix) === 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(size - Number(suffix), 0), end: size };
  }
  const start = Number(first);
  const end = last ? Number(last) + 1 : size;
  if (last && end <= start) return 'all'; // 14.1.1: such a range is not valid, and so as if it were not there
  return start < size ? { start, end: Math.min(end, size) } : 'unsatisfiable';
}
