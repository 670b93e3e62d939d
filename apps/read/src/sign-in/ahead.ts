import type { Request } from 'express';
import type { PublicUrl } from '#http';

/** A browser fetches a page before anybody has opened it: nothing may be begun or used up by that. */
export function fetchesAhead(request: Request): boolean {
  return [request.headers['sec-purpose'], request.headers.purpose].some(
    (purpose) => typeof purpose === 'string' && purpose.includes('prefetch'),
  );
}

/**
 * A page of another site, or of a neighbor of ours, has sent the browser here. Browsers say so in Sec-Fetch-Site, over plain http only in Referer; one that
 * was given the address itself says `none`, or nothing.
 */
export function isSentByOthers({ headers }: Request, publicUrl: PublicUrl): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'none' && site !== 'same-origin';
  const { referer } = headers;
  if (referer === undefined || referer === '') return false;
  return !URL.canParse(referer) || !publicUrl.isOurOrigin(new URL(referer).origin, headers.host);
}
