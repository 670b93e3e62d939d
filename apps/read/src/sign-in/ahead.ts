import type { Request } from 'express';
import type { PublicUrl } from '#http';

/**
 * Whether a browser is prefetching a page that nobody has opened, which must not start or consume
 * anything.
 */
export function fetchesAhead(request: Request): boolean {
  return [request.headers['sec-purpose'], request.headers.purpose].some(
    (purpose) => typeof purpose === 'string' && purpose.includes('prefetch'),
  );
}

/**
 * Whether the browser comes from a page of another site or a sibling host. Browsers report this in
 * Sec-Fetch-Site, and over plain http only in Referer; for a typed URL they send `none` or nothing.
 */
export function isSentByOthers({ headers }: Request, publicUrl: PublicUrl): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'none' && site !== 'same-origin';
  const { referer } = headers;
  if (referer === undefined || referer === '') return false;
  return !URL.canParse(referer) || !publicUrl.isOurOrigin(new URL(referer).origin, headers.host);
}
