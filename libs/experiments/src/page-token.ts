import { createHash } from 'node:crypto';
import { limits, Problem } from '#model';

/** A requested page of a list. */
export interface PageRequest {
  readonly size: number;
  /** The page starts after the object with this id; null for the start. */
  readonly after: string | null;
  /**
   * SHA-256 (short) of everything else that defines the list: a token is valid only for its own
   * list.
   */
  readonly list: string;
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string | null;
}

/**
 * Parses `page_size` and `page_token`. A size above the maximum is reduced, not rejected. `list` is
 * everything that determines the content and order of the list: path, filter, order. Throws
 * `invalid-page-token` for a token from another list.
 */
export function readPage(
  size: number | undefined,
  token: string | undefined,
  list: readonly unknown[],
  bounds: { byDefault: number; max: number } = { byDefault: limits.defaultPageSize, max: limits.maxPageSize },
): PageRequest {
  const fingerprint = createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 12);
  return {
    size: Math.min(size ?? bounds.byDefault, bounds.max),
    after: token === undefined ? null : readToken(token, fingerprint),
    list: fingerprint,
  };
}

/**
 * Cuts a list that was read with one item more than a page, and adds the token for the next page.
 */
export function cutPage<T>(rows: readonly T[], request: PageRequest, idOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, request.size);
  const last = items.at(-1);
  return { items, nextPageToken: rows.length > request.size && last !== undefined ? makeToken(idOf(last), request.list) : null };
}

/** The id after which a page starts. `isId`: a guard for this kind of id, such as `isRunId`. */
export function idAfter<Id extends string>({ after }: PageRequest, isId: (text: string) => text is Id): Id | null {
  if (after !== null && !isId(after)) throw staleToken();
  return after;
}

/** The UUID after which a page starts; in its token, it has no hyphens. */
export function uuidAfter(request: PageRequest): string | null {
  if (request.after === null) return null;
  if (!/^[0-9a-f]{32}$/.test(request.after)) throw staleToken();
  return request.after.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Thrown if a token refers to something that was deleted or never existed. */
export function staleToken(): Problem {
  return new Problem(
    'invalid-page-token',
    'This page_token does not belong to this list. Use next_page_token unchanged with the same filter and order, or start from the first page.',
  );
}

const form = /^[A-Za-z0-9_-]{12}[A-Za-z0-9_-]{1,200}$/;

function makeToken(id: string, list: string): string {
  return list + Buffer.from(id).toString('base64url');
}

function readToken(token: string, list: string): string {
  if (!form.test(token) || !token.startsWith(list)) throw staleToken();
  const id = Buffer.from(token.slice(list.length), 'base64url').toString();
  // Our ids are digits, letters, or a few numbers joined by periods; anything else is forged.
  if (!/^[A-Za-z0-9.]{1,100}$/.test(id) || makeToken(id, list) !== token) throw staleToken();
  return id;
}
