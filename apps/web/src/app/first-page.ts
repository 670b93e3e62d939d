import { createContext } from 'react';

/** The pictures of charts that the page arrived with, by tag. */
export const FirstPageContext = createContext<ReadonlyMap<string, Element>>(new Map());
