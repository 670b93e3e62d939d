import type { Request } from 'express';
import type { PublicUrl } from '#http';

/**
 * Whether a browser prefetches a page that nobody has opened: this must not start or consume
 * anything.
 */
export function fetchesAhead(request: Request): boolean {
  return [request.headers['sec-purpose'], request.headers.purpose].some(
    (purpose) => typeof purpose === 'string' && purpose.includes('prefetch'),
  );
}

/**
 * Whether a page of another site, or of a sibling host, has sent the browser here. Browsers report
 * this in Sec-Fetch-Site, over plain http only in Referer; a typed URL gives `none`, or nothing.
 */
export function isSentByOthers({ headers }: Request, publicUrl: PublicUrl): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'none' && site !== 'same-origin';
  const { referer } = headers;
  if (referer === undefined || referer === '') return false;
  return !URL.canParse(referer) || !publicUrl.isOurOrigin(new URL(referer).origin, headers.host);
}
