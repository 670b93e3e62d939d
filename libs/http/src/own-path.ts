/** Where to go on: a path of this service, never another place. */
export function ownPath(next: string | undefined): string {
  return next !== undefined && next.length <= 2_000 && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.includes('\\') ? next : '/';
}

/** An address of a page with the path to go on at behind it; `page` starts with a slash. */
export function withNext(page: string, next: string): string {
  return next === '/' ? page : `${page}?next=${encodeURIComponent(next)}`;
}
