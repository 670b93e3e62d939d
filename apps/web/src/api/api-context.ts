import { createContext } from 'react';
import type { Api } from './api.ts';

/** The source of the page's data. Null means the service. */
export const ApiContext = createContext<Api | null>(null);
