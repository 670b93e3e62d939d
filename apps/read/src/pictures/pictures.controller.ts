import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  chartScales,
  isShown,
  naturally,
  plainView,
  readYRanges,
  seriesKey,
  spacingOf,
  stepsWanted,
  styleRuns,
  styleWriters,
  type View as ChartView,
  wholeStep,
  writerLines,
  yRangeOf,
  zoomedLine,
} from '#charts';
import { svgChart } from '#charts/svg';
import { requireExperiment } from '#experiments';
import { Caller, Does, Page, parse, ParseExperimentId } from '#http';
import { type ExperimentId, Problem, type RunName, type TagName, type View } from '#model';
import { readScalars, type ScalarResult, type ScalarRequest, scalarsCsv } from '#series';
import { listRunStates, listSeries, Store } from '#store';
import { sendTagged } from '../scalars/send.ts';
import { chartSeries } from './chart-series.ts';
import { pictureQuery, type PictureQuery, withoutPage } from './picture-query.ts';
import { PngRenderer } from './png-renderer.ts';

/**
 * A chart of the page as a separate file: `/e/{id}/{tag}.svg` or `.png`, drawn by the code that
 * draws the page, or the chart's buckets as CSV.
 */
@Controller('e/:experimentId')
export class PicturesController {
  readonly #store: Store;
  readonly #png: PngRenderer;

  constructor(store: Store, png: PngRenderer) {
    this.#store = store;
    this.#png = png;
  }

  /** `picture`: the tag, which may contain slashes, and the extension. */
  @Page()
  @Does('experiment.view')
  @Get('*picture')
  async read(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Param('picture') picture: readonly string[],
    @Query() parameters: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const [, tag, ending] = /^(.*)\.(svg|png|csv)$/s.exec(picture.join('/')) ?? [];
    if (tag === undefined || tag.includes('\0')) throw new Problem('not-found', 'There is nothing at this address.');
    const query = parse(pictureQuery, withoutPage(parameters), 'the query');
    const view = viewOf(query);
    const steps = view.range && ending !== 'csv' ? null : stepsOf(query);
    const load = (part: AskedSteps | null): Promise<ScalarResult> =>
      readScalars(
        this.#store,
        caller.tenantId,
        requestOf(experimentId, tag, { ...query, smoothing: ending === 'csv' ? 0 : query.smoothing }, part, caller.view),
        (scope) => requireExperiment(scope, caller, experimentId, 'experiment.view'),
      );
    const result = await load(steps);
    const states = await this.#store.withTenant(caller.tenantId, (scope) => listRunStates(scope, experimentId, caller.view), {
      readOnly: true,
    });
    requireKnownRuns(query.run ?? [], [...states, ...result.series]);
    if (result.series.length === 0) await this.#requireTag(caller, experimentId, tag);
    const archived = new Set(states.filter((one) => one.archived && !view.archived).map(({ run }) => run));
    const isChosen = isShown(view);
    const series = result.series.filter(({ run }) => isChosen(run) && !archived.has(run));
    if (ending === 'csv') {
      return sendTagged(
        request,
        response,
        'text/csv; charset=utf-8; header=present',
        await scalarsCsv({ ...result, series }, null, query.guardFormulas === 'true'),
      );
    }
    const whole = series.map((one) => chartSeries(one, query.smoothing, result.severalWriters));
    const finer = stepsWanted(view.range, view.xAxis, whole);
    const parts = new Map(
      finer &&
        (await load(finer)).series
          .map((part) => chartSeries(part, query.smoothing, result.severalWriters))
          .map((part) => [seriesKey(part), part]),
    );
    const lines = writerLines(
      whole.map((one) => zoomedLine(one, parts.get(seriesKey(one)), view)),
      view.writers,
    );
    const runs = states
      .toSorted((a, b) => (a.startTime ?? Infinity) - (b.startTime ?? Infinity) || naturally(a.run, b.run))
      .map(({ run }) => run);
    const { width, height, theme } = query;
    const scales = chartScales(lines, view, yRangeOf(view, tag));
    const svg = svgChart(lines, scales, styleWriters(styleRuns(runs), lines), view, { title: tag, width, height, theme });
    if (ending === 'svg') return sendTagged(request, response, 'image/svg+xml', [Buffer.from(svg)]);
    await sendTagged(request, response, 'image/png', [await this.#png.render(svg, query.scale)]);
  }

  async #requireTag(caller: Caller, experimentId: ExperimentId, tag: TagName): Promise<void> {
    const series = await this.#store.withTenant(
      caller.tenantId,
      (scope) =>
        listSeries(scope, {
          experimentId,
          runs: null,
          tags: [tag],
          plugins: null,
          unlisted: false,
          limit: 1000,
          after: null,
          view: caller.view,
        }),
      { readOnly: true },
    );
    if (!series?.some(({ dataClass }) => dataClass === 'scalar'))
      throw new Problem('not-found', `The experiment has no scalars with the tag ${JSON.stringify(tag)}.`);
  }
}

/** Rejects run names in the URL that do not exist: a chart without them would look complete. */
function requireKnownRuns(names: readonly string[], states: readonly { readonly run: RunName }[]): void {
  const known = new Set(states.map(({ run }) => run));
  const missing = names.find((name) => name !== '' && !known.has(name));
  if (missing !== undefined) throw new Problem('not-found', `The experiment has no run ${JSON.stringify(missing)}.`);
}

/** The step range, inclusive at both ends; null means the end of the data. */
interface AskedSteps {
  readonly from: number | null;
  readonly to: number | null;
}

function requestOf(
  experimentId: ExperimentId,
  tag: TagName,
  { run, width, smoothing, xAxis, xScale }: PictureQuery,
  steps: AskedSteps | null,
  view: View | null,
): ScalarRequest {
  return {
    experimentId,
    runs: run ?? null,
    tags: [tag],
    plugin: null,
    unlisted: false,
    from: typeof steps?.from === 'number' ? wholeStep(steps.from) : null,
    to: typeof steps?.to === 'number' ? wholeStep(steps.to) : null,
    view,
    sampling: 'minmax',
    points: width,
    smoothing,
    spacing: spacingOf({ xAxis, xScale }),
    align: 'tag',
    seed: '0',
    superseded: false,
    pageSize: 1,
    pageToken: null,
  };
}

/** The steps in the URL; null if there are none. */
function stepsOf({ xAxis, from, to }: PictureQuery): AskedSteps | null {
  if (xAxis !== 'step') return null;
  return { from: from === undefined ? null : Math.floor(from), to: to === undefined ? null : Math.ceil(to) };
}

function viewOf({ run, hide, archived, smoothing, xAxis, xScale, yScale, ignoreOutliers, writers, from, to, y }: PictureQuery): ChartView {
  return {
    ...plainView,
    onlyRuns: run ?? null,
    hiddenRuns: hide ?? [],
    archived: archived === 'true',
    smoothing,
    xAxis,
    xScale,
    yScale,
    ignoreOutliers: ignoreOutliers === 'true',
    writers,
    range: from !== undefined && to !== undefined && from < to ? { from, to } : null,
    yRanges: readYRanges(y ?? []),
  };
}
