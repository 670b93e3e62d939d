import { createContext } from 'react';
import { FirstCharts } from '../chart/first-charts.ts';

/** The charts that the page arrived with. */
export const FirstPageContext = createContext(new FirstCharts(null));
