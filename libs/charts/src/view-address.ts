import { parseView, type View, viewParameters } from './view.ts';

/** The address of a run's page: the path of its experiment, and `/r/` with the name. */
const ofRun = /^(.*?\/e\/[^/]+)\/r\/(.+)$/s;

/**
 * Parts of a path that browsers or proxies change on the way. A name with such a part stays in the
 * query string, as `about`.
 */
const isFragile = (part: string): boolean => part === '' || part === '.' || part === '..';
/** With these endings, an address is that of a picture. */
const isPicture = /\.(svg|png|csv)$/;

/** What follows the path of an experiment in the address of a view. */
export function addressOf(view: View): string {
  const { about } = view;
  const isPath = about !== null && about.isWellFormed() && !isPicture.test(about) && !about.split('/').some(isFragile);
  const path = isPath ? `/r/${about.split('/').map(encodeURIComponent).join('/')}` : '';
  const text = viewParameters(isPath ? { ...view, about: null } : view).toString();
  return path + (text === '' ? '' : `?${text}`);
}

/** The path of the experiment in a path of one of its pages. */
export function experimentPathOf(pathname: string): string {
  return ofRun.exec(pathname)?.[1] ?? pathname;
}

/** A query string with the run that the path names; the path counts. */
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

/** The text itself if it is not a valid encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
