import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { ScalarSeries } from '#charts';
import { builtWeb } from './built-web.ts';

/**
 * Renders pages on the server: the same components as in the browser, built by `vite build --ssr`
 * (`apps/web/src/server.tsx`, which describes each).
 */
export interface WebRenderer {
  firstWish(page: object, search: string): FirstWish | null;
  renderExperiment(page: object, search: string, series: FirstSeries): string;
  renderEmbed(page: object, search: string, series: FirstSeries): string;
  renderHome(page: object, search: string): string;
  renderHeader(page: object): string;
}

/** The request for the data of a page's first charts. */
export interface FirstWish {
  readonly tags: readonly string[];
  readonly points: number;
  readonly steps: { readonly from: number; readonly to: number } | null;
  readonly smoothing: number;
  readonly spacing: 'linear' | 'log';
}

/** The result: the series in full, and in the requested steps. */
export interface FirstSeries {
  readonly whole: readonly ScalarSeries[];
  readonly parts: readonly ScalarSeries[];
}

/** Loads it; null if the service was built without its pages. */
export async function loadWebRenderer(): Promise<WebRenderer | null> {
  const file = builtWeb('server/server.js');
  return existsSync(file) ? ((await import(pathToFileURL(file).href)) as WebRenderer) : null;
}
