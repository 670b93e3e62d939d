import { createHash } from 'node:crypto';
import { isSeriesId, Problem, type SeriesId } from '#model';
import type { ScalarRequest } from './scalar-request.ts';

/** Where the next page of `raw` starts. */
export interface RawPosition {
  readonly seriesId: SeriesId;
  /** Effective points: the last returned step; null before the first. */
  readonly afterStep: bigint | null;
  /**
   * All points in log order: the next point's file (by its rank) and ordinal, and the start of the
   * chunks that may contain it.
   */
  readonly log: { readonly fileRank: number; readonly ordinal: number; readonly openFrom: number } | null;
}

/** A token for this position; it is valid only for the same query. */
export function writePageToken(request: ScalarRequest, position: RawPosition): string {
  const { log } = position;
  const place = log ? [log.fileRank, log.ordinal, log.openFrom] : position.afterStep === null ? null : position.afterStep.toString();
  return Buffer.from(JSON.stringify([fingerprint(request), position.seriesId, place])).toString('base64url');
}

/** Parses a token; throws `invalid-page-token` for anything else. */
export function readPageToken(request: ScalarRequest): RawPosition | null {
  if (request.pageToken === null) return null;
  const parts = parseParts(request.pageToken);
  if (!parts || parts[0] !== fingerprint(request)) throw invalid();
  const [, seriesId, place] = parts;
  if (typeof seriesId !== 'string' || !isSeriesId(seriesId)) throw invalid();
  if (request.superseded) {
    if (place === null) return { seriesId, afterStep: null, log: null };
    if (!Array.isArray(place) || place.length !== 3 || !place.every(Number.isSafeInteger)) throw invalid();
    return { seriesId, afterStep: null, log: { fileRank: Number(place[0]), ordinal: Number(place[1]), openFrom: Number(place[2]) } };
  }
  if (place === null) return { seriesId, afterStep: null, log: null };
  if (typeof place !== 'string' || !/^-?[0-9]{1,19}$/.test(place)) throw invalid();
  return { seriesId, afterStep: BigInt(place), log: null };
}

/** The error for an unknown token, or for a token from another query. */
export function invalid(): Problem {
  return new Problem(
    'invalid-page-token',
    'The page token does not belong to this query. Send it with the query that returned it, or start without one.',
  );
}

function parseParts(token: string): unknown[] | null {
  if (!/^[A-Za-z0-9_-]{1,400}$/.test(token)) return null;
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return Array.isArray(parts) && parts.length === 3 ? parts : null;
  } catch {
    return null; // not JSON: not a token of ours
  }
}

/**
 * Everything that determines the points and their order; the page size can change between pages.
 */
function fingerprint(request: ScalarRequest): string {
  const { experimentId, runs, tags, plugin, unlisted, from, to, superseded } = request;
  const text = JSON.stringify([experimentId, runs, tags, plugin, unlisted, from?.toString() ?? null, to?.toString() ?? null, superseded]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}
