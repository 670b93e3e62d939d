import type { ScalarSeries } from './scalar-series.ts';

/** A request for the data of a page's first charts. */
export interface FirstQuery {
  readonly tags: readonly string[];
  /** Maximum entries per series. */
  readonly points: number;
  /** A range that also needs finer data. */
  readonly steps: { readonly from: number; readonly to: number } | null;
  readonly smoothing: number;
  readonly spacing: 'linear' | 'log';
}

/** The result of such a request: the whole series, and the series in the requested steps. */
export interface FirstSeries {
  readonly whole: readonly ScalarSeries[];
  readonly parts: readonly ScalarSeries[];
}

/**
 * Renders pages on the server with the browser's components. The web app implements it, and the
 * read API calls it. `Page`: the data embedded in a page.
 */
export interface PageRenderer<Page> {
  /**
   * The data that the first charts of a page need; null if the page is delivered without charts.
   */
  firstQuery(page: Page, search: string): FirstQuery | null;
  /** An experiment's page as HTML, with its first charts as pictures. */
  renderExperiment(page: Page, search: string, series: FirstSeries): string;
  /** Only the charts, for a frame without scripts; a single chart fills the frame. */
  renderEmbed(page: Page, search: string, series: FirstSeries): string;
  /** The list of experiments as HTML. */
  renderHome(page: Page, search: string): string;
  /** The header of a page whose content needs no script. */
  renderHeader(page: Page): string;
}
