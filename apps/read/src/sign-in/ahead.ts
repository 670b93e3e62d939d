import type { Request } from 'express';

/** A browser fetches a page before anybody has opened it: nothing may be begun or used up by that. */
export function fetchesAhead(request: Request): boolean {
  return [request.headers['sec-purpose'], request.headers.purpose].some(
    (purpose) => typeof purpose === 'string' && purpose.includes('prefetch'),
  );
}
