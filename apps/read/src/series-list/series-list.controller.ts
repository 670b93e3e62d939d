import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { cutPage, idAfter, readPage, requireExperiment, staleToken } from '#experiments';
import { Caller, Does, parse, ParseExperimentId } from '#http';
import { type ExperimentId, isSeriesId } from '#model';
import { haveSeveralWriters } from '#series';
import { listSeries, readRunTails, Store } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { anyOf, flag, paging, waiting } from '../query-schemas.ts';
import { withTails } from './live-stats.ts';
import { toSeriesJson } from './series-json.ts';

export const seriesQuery = z.strictObject({
  run: anyOf,
  tag: anyOf,
  plugin: anyOf,
  unlisted: flag.optional(),
  plugin_content: flag.optional(),
  ...paging,
  ...waiting,
});

/**
 * Clients that draw charts need all series at once, so without a `page_size`, one page has up to
 * this many series.
 */
const maxSeries = 10_000;

/** The series of an experiment with their summaries. */
@Controller('api/v1/experiments/:experimentId/series')
export class SeriesListController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;

  constructor(store: Store, watch: FrontierWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  @Does('experiment.view')
  @Get()
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { run, tag, plugin, unlisted, plugin_content, page_size, page_token, ...wait } = parse(seriesQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['series', experimentId, run, tag, plugin, unlisted], {
      byDefault: maxSeries,
      max: maxSeries,
    });
    await waitVisible(this.#store, this.#watch, caller, experimentId, wait);
    const rows = await this.#store.withSnapshot(caller.tenantId, async (snapshot) => {
      await requireExperiment(snapshot, caller, experimentId, 'experiment.view');
      const list = await listSeries(snapshot, {
        experimentId,
        runs: run ?? null,
        tags: tag ?? null,
        plugins: plugin ?? null,
        unlisted: unlisted ?? false,
        limit: page.size + 1,
        after: idAfter(page, isSeriesId),
        view: caller.view,
      });
      if (!list) throw staleToken();
      const runIds = [...new Set(list.filter(({ dataClass }) => dataClass === 'scalar').map(({ runId }) => runId))];
      return withTails(list, await readRunTails(snapshot, runIds));
    });
    const { items, nextPageToken } = cutPage(rows, page, (row) => row.seriesId);
    const ofSeveral = haveSeveralWriters(rows);
    return {
      series: items.map((one) => toSeriesJson(one, ofSeveral, plugin_content)),
      ...(nextPageToken && { next_page_token: nextPageToken }),
    };
  }
}
