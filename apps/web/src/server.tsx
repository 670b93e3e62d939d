import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import {
  chartScales,
  type FirstQuery,
  type FirstSeries,
  type PageRenderer,
  parseView,
  spacingOf,
  seriesKey,
  stepsAround,
  styleRuns,
  styleWriters,
  type View,
  writerLines,
  xTagOf,
  yRangeOf,
  zoomedLine,
} from '#charts';
import { type ChartParts, chartParts } from '#charts/svg';
import { Api } from './api/api.ts';
import { ScalarLoader } from './api/scalar-loader.ts';
import { Header } from './app/frame.tsx';
import { keepFirst } from './app/keep-first.ts';
import { PageContext } from './app/page-context.ts';
import type { PageData } from './app/page-data.ts';
import { Store } from './app/store.ts';
import { FirstChartsContext } from './chart/first-chart.tsx';
import { ComparingLoader } from './compare/comparing-loader.ts';
import { noOthers } from './compare/use-others.ts';
import { cardHeight, firstTags, scalarTags } from './experiment/card-rows.ts';
import { ExperimentContext, nowhere } from './experiment/experiment-context.ts';
import { ExperimentPage } from './experiment/experiment-page.tsx';
import { inOrderOfBeginning } from './experiment/run-order.ts';
import { HomeScreen } from './home/home-screen.tsx';
import { parseHomeView } from './home/home-view.ts';
import { unheard } from './live/live-state.ts';
import { shownRuns, wantsSeries } from './runs/shown-runs.ts';

/**
 * Maximum entries of all lines in the first cards together: a picture of a megabyte would not help.
 */
const maxEntries = 60_000;
const minLineEntries = 40;
const maxLineEntries = 200;
/** Pixels around the chart in a card, as in the style sheet. */
const aroundChart = 34;

/**
 * The data that a page's first charts need. Null if the page is delivered without charts. Only the
 * browser evaluates regular expressions, because they could use up the server's CPU.
 */
function firstQuery(page: PageData, search: string): FirstQuery | null {
  const view = parseView(new URLSearchParams(search));
  const { runs, tags } = page.experiment ?? {};
  if (!runs || !tags || runs.length === 0 || view.tagFilter !== '' || view.runFilter !== '' || view.colorGroup !== '') return null;
  if (wantsSeries(view) || view.compare.length > 0 || (view.embed && view.card !== null)) return null;
  const none: FirstQuery = { tags: [], points: 1, steps: null, smoothing: 0, spacing: 'linear' };
  // Times of day depend on the reader's time zone, and a zoomed range on another axis cannot be
  // converted to steps yet
  if (
    view.about !== null ||
    view.tab !== 'scalars' ||
    view.xAxis === 'wall' ||
    xTagOf(view.xAxis) !== null ||
    (view.range && view.xAxis !== 'step')
  )
    return none;
  const shown = shownRuns(view, runs).shown.length;
  const wanted = firstTags(tags, view);
  const points = Math.min(maxLineEntries, Math.floor(maxEntries / Math.max(1, shown * wanted.length)));
  if (points < minLineEntries || shown === 0) return none;
  return { tags: wanted, points, steps: view.range && stepsAround(view.range), smoothing: view.smoothing, spacing: spacingOf(view) };
}

/**
 * The HTML of an experiment's page, with its first charts as pictures. `series`: the result of
 * {@link firstQuery}.
 */
function renderExperiment(page: PageData, search: string, series: FirstSeries): string {
  const view = parseView(new URLSearchParams(search));
  return render(page, { ...view, card: null }, series);
}

/** Only the charts, for a frame without scripts. A single chart fills the frame. */
function renderEmbed(page: PageData, search: string, series: FirstSeries): string {
  const view = parseView(new URLSearchParams(search));
  const tags = scalarTags(page.experiment!.tags!, '');
  return render({ ...page, still: true }, { ...view, embed: true, card: tags.length === 1 ? tags[0]! : null }, series);
}

function render(page: PageData, view: View, series: FirstSeries): string {
  const { experiment, runs, tags } = page.experiment!;
  const api = new Api(page.base);
  const loader = new ScalarLoader(api, experiment.id, () => 0);
  const world = {
    api,
    id: experiment.id,
    loader: new ComparingLoader(loader, () => loader), // nothing is loaded while it is drawn
    view: new Store(view),
    hover: new Store(nowhere),
    live: new Store(unheard),
    firstCharts: 'server' as const,
  };
  return renderToStaticMarkup(
    <PageContext value={page}>
      <QueryClientProvider client={new QueryClient()}>
        <ExperimentContext value={world}>
          <FirstChartsContext value={drawCharts(page, view, series)}>
            <ExperimentPage experiment={experiment} runs={runs!} tags={tags!} others={noOthers} />
          </FirstChartsContext>
        </ExperimentContext>
      </QueryClientProvider>
    </PageContext>,
  );
}

/** The header of a page with content that needs no script. */
function renderHeader(page: PageData): string {
  return renderToStaticMarkup(
    <PageContext value={page}>
      <Header />
    </PageContext>,
  );
}

/** The HTML of the list of experiments. */
function renderHome(page: PageData, search: string): string {
  const queries = new QueryClient();
  keepFirst(queries, page);
  return renderToStaticMarkup(
    <PageContext value={page}>
      <QueryClientProvider client={queries}>
        <HomeScreen view={parseHomeView(new URLSearchParams(search))} onView={() => undefined} />
      </QueryClientProvider>
    </PageContext>,
  );
}

function drawCharts(page: PageData, view: View, { whole, parts }: FirstSeries): Map<string, ChartParts> {
  const runs = inOrderOfBeginning(page.experiment!.runs!);
  const styles = styleRuns(runs.map(({ run }) => run));
  const shown = new Set(shownRuns(view, runs).shown);
  const charts = new Map<string, ChartParts>();
  const finer = Map.groupBy(parts, (one) => one.tag);
  for (const [tag, list] of Map.groupBy(whole, (one) => one.tag)) {
    const byRun = new Map(finer.get(tag)?.map((part) => [seriesKey(part), part]));
    const own = list
      .filter(({ run }) => shown.has(run))
      .map((series) =>
        zoomedLine(series, byRun.get(seriesKey(series)), { xAxis: view.xAxis, smoothing: view.smoothing, range: view.range }),
      );
    const lines = writerLines(own, view.writers);
    const scales = chartScales(lines, view, yRangeOf(view, tag));
    if (scales)
      charts.set(
        tag,
        chartParts(lines, scales, styleWriters(styles, lines), view, cardHeight(view.cardSize, view.wide.includes(tag)) - aroundChart),
      );
  }
  return charts;
}

/** The functions that the built bundle exports for the read API. */
export const renderer: PageRenderer<PageData> = { firstQuery, renderExperiment, renderEmbed, renderHome, renderHeader };
