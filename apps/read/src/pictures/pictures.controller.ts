import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { chartLine, chartScales, naturally, styleRuns, svgChart } from '#charts';
import { noSuchExperiment, requireExperiment, isExperimentId } from '#experiments';
import { Caller, Does, Page, parse } from '#http';
import { Problem, type View } from '#model';
import { readScalars, type ScalarRequest, scalarsCsv } from '#series';
import { listRunStates, Store } from '#store';
import { sendTagged } from '../scalars/send.ts';
import { chartSeries } from './chart-series.ts';
import { pictureQuery, type PictureQuery } from './picture-query.ts';
import { PngRenderer } from './png-renderer.ts';

/** A chart of the page as a file of its own: `/e/{id}/{tag}.svg`, drawn by the code that draws the page, or `.png`, or its buckets as CSV. */
@Controller('e/:experimentId')
export class PicturesController {
  readonly #store: Store;
  readonly #png: PngRenderer;

  constructor(store: Store, png: PngRenderer) {
    this.#store = store;
    this.#png = png;
  }

  /** `picture`: the tag, which may have slashes, and the ending. */
  @Page()
  @Does('experiment.view')
  @Get('*picture')
  async read(
    @Caller() caller: Caller,
    @Param('experimentId') experimentId: string,
    @Param('picture') picture: readonly string[],
    @Query() parameters: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const [, tag, ending] = /^(.*)\.(svg|png|csv)$/s.exec(picture.join('/')) ?? [];
    if (!isExperimentId(experimentId)) throw noSuchExperiment();
    if (tag === undefined || tag.includes('\0')) throw new Problem('not-found', 'There is nothing at this address.');
    const query = parse(pictureQuery, parameters, 'the query');
    const answer = await readScalars(this.#store, caller.tenantId, requestOf(experimentId, tag, query, caller.view), (trx) =>
      requireExperiment(trx, caller, experimentId, 'experiment.view'),
    );
    if (ending === 'csv') return sendTagged(request, response, 'text/csv; charset=utf-8; header=present', scalarsCsv(answer, null));
    const states = await this.#store.withTenant(caller.tenantId, (trx) => listRunStates(trx, caller.tenantId, experimentId, caller.view), {
      readOnly: true,
    });
    const runs = states
      .toSorted((a, b) => (a.startTime ?? Infinity) - (b.startTime ?? Infinity) || naturally(a.run, b.run))
      .map(({ run }) => run);
    const view = viewOf(query);
    const lines = answer.series.map((series) => chartLine(chartSeries(series), view));
    const { width, height, theme } = query;
    const svg = svgChart(lines, chartScales(lines, view), styleRuns(runs), view, { title: tag, width, height, theme });
    if (ending === 'svg') return sendTagged(request, response, 'image/svg+xml', Buffer.from(svg));
    sendTagged(request, response, 'image/png', await this.#png.render(svg, query.scale));
  }
}

function requestOf(experimentId: string, tag: string, { run, xAxis, from, to, width }: PictureQuery, view: View | null): ScalarRequest {
  const step = (value: number | undefined, round: (one: number) => number): bigint | null =>
    value === undefined || xAxis !== 'step'
      ? null
      : BigInt(round(Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, value))));
  return {
    experimentId,
    runs: run ?? null,
    tags: [tag],
    plugin: null,
    unlisted: false,
    from: step(from, Math.floor),
    to: step(to, Math.ceil),
    view,
    sampling: 'minmax',
    points: width,
    align: 'tag',
    seed: '0',
    superseded: false,
    pageSize: 1,
    pageToken: null,
  };
}

function viewOf({ smoothing, xAxis, xScale, yScale, ignoreOutliers, from, to }: PictureQuery) {
  const range = from !== undefined && to !== undefined && from < to ? { from, to } : null;
  return { smoothing, xAxis, xScale, yScale, ignoreOutliers: ignoreOutliers === 'true', range };
}
