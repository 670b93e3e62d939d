import { createContext, useContext } from 'react';
import type { PageData } from './page-data.ts';

/** Data of the whole page: its location, and its reader. */
export const PageContext = createContext<PageData | null>(null);

/** The page around this component. Throws without one. */
export function usePage(): PageData {
  const page = useContext(PageContext);
  if (!page) throw new Error('this component must be rendered inside a page');
  return page;
}
