import { parseView, type View, viewParameters } from './view.ts';

/** The address of a run's page: its experiment's path, `/r/`, and the run's name. */
const ofRun = /^(.*?\/e\/[^/]+)\/r\/(.+)$/s;

/**
 * Parts of a path that browsers or proxies change in transit. A name with such a part stays in the
 * query string, as `about`.
 */
const isFragile = (part: string): boolean => part === '' || part === '.' || part === '..';
/** An address with one of these endings is the address of a picture. */
const isPicture = /\.(svg|png|csv)$/;

/** The part of a view's address after the experiment's path. */
export function addressOf(view: View): string {
  const path = view.about === null ? null : pathOfRun(view.about);
  return (path ?? '') + queryOf(path === null ? view : { ...view, about: null });
}

/** The addresses of run pages, for many runs in the same view. */
export function runAddresses(view: View): (run: string) => string {
  const query = queryOf({ ...view, about: null });
  return (run) => {
    const path = pathOfRun(run);
    return path === null ? addressOf({ ...view, about: run }) : path + query;
  };
}

/** Returns null if the name cannot be part of a path. */
function pathOfRun(run: string): string | null {
  const isPath = run.isWellFormed() && !isPicture.test(run) && !run.split('/').some(isFragile);
  return isPath ? `/r/${run.split('/').map(encodeURIComponent).join('/')}` : null;
}

function queryOf(view: View): string {
  const text = viewParameters(view).toString();
  return text === '' ? '' : `?${text}`;
}

/** The experiment's path, from the path of one of its pages. */
export function experimentPathOf(pathname: string): string {
  return ofRun.exec(pathname)?.[1] ?? pathname;
}

/**
 * The query string with the run from the path, which takes precedence over a run in the query
 * string.
 */
export function searchWithRun(pathname: string, search: string): string {
  const named = ofRun.exec(pathname)?.[2];
  if (named === undefined) return search;
  const parameters = new URLSearchParams(search);
  parameters.set('about', decoded(named));
  return `?${parameters.toString()}`;
}

/** The view of an address: its path and its query string. */
export function viewOfAddress(pathname: string, search: string): View {
  return parseView(new URLSearchParams(searchWithRun(pathname, search)));
}

/** Returns the text unchanged if it is not a valid encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
