import { createContext, useContext } from 'react';
import type { PageData } from './page-data.ts';

/** Data about the whole page: its location, and its reader. */
export const PageContext = createContext<PageData | null>(null);

/** The page that contains this component. Throws if there is none. */
export function usePage(): PageData {
  const page = useContext(PageContext);
  if (!page) throw new Error('this component must be rendered inside a page');
  return page;
}
