/** Restricts a redirect target to a path of this service. */
export function ownPath(next: string | undefined): string {
  return next !== undefined && next.length <= 2_000 && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.includes('\\') ? next : '/';
}

/**
 * The URL of a page, with the path at which to continue as a parameter; `page` starts with a slash.
 */
export function withNext(page: string, next: string): string {
  return next === '/' ? page : `${page}?next=${encodeURIComponent(next)}`;
}
