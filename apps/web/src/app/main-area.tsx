import { type ComponentPropsWithRef, createContext, use } from 'react';

/**
 * The element that contains a panel: `main` on a page; `div` in a report, which shows several
 * panels.
 */
export const MainElement = createContext<'main' | 'div'>('main');

/**
 * The heading level of cards, if it differs from that of their element: a report can show a chart
 * directly below its title.
 */
export const CardHeadingLevel = createContext<number | undefined>(undefined);

/** The main content of a page, or a panel in a report. */
export function MainArea(props: ComponentPropsWithRef<'main'>) {
  const Element = use(MainElement) as 'main';
  return <Element {...props} />;
}
