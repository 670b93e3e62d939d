import { createContext } from 'react';
import type { Api } from './api.ts';

/** What answers the page's requests; null: the service. */
export const ApiContext = createContext<Api | null>(null);
