import { createContext } from 'react';
import { FirstCharts } from '../chart/first-charts.ts';

/** The charts delivered with the page. */
export const FirstPageContext = createContext(new FirstCharts(null));
