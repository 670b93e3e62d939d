import type { Request } from 'express';

/** A browser fetches a page before anybody has opened it: nothing may be begun or used up by that. */
export function fetchesAhead(request: Request): boolean {
  return [request.headers['sec-purpose'], request.headers.purpose].some(
    (purpose) => typeof purpose === 'string' && purpose.includes('prefetch'),
  );
}

/** A page of another site, or of a neighbour of ours, has sent the browser here; a browser that was given the address itself says `none`, or is an old one. */
export function isSentByOthers({ headers }: Request): boolean {
  return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));
}
