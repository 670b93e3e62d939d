import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { cutPage, numberAfter, parseFilter, parseOrderBy, readPage, requireExperiment, staleToken } from '#experiments';
import { Caller, parse } from '#http';
import { listRuns, runFields, Store } from '#store';
import { listQuery } from '../experiments/experiments.controller.ts';
import { floatJson } from '../series-list/series-json.ts';
import { exactFloat } from '../json.ts';
import { readLiveStats, tagsOf } from './live-runs.ts';

/** A run in answers. */
export const runJson = z.object({
  run: z.string().meta({ description: 'Path below the log directory; `.` is the log directory itself.' }),
  start_time: floatJson.nullable().meta({ description: 'Smallest positive wall time, seconds since 1970.' }),
  last_time: floatJson.nullable(),
  status: z.string().meta({ description: 'success, failure, running or unknown, as the run itself says.' }),
  group: z.string().nullable(),
  hparams: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** The runs of an experiment that have a readable event. */
@Controller('api/v1/experiments/:experimentId/runs')
export class RunsController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  @Get()
  async list(@Caller() caller: Caller, @Param('experimentId') experimentId: string, @Query() query: unknown) {
    const { filter, order_by, page_size, page_token } = parse(listQuery, query, 'the query');
    const { tenantId } = caller;
    const fields = runFields(tenantId, []);
    const byName = { field: 'name', argument: null, descending: false };
    const order = order_by === undefined ? [byName] : parseOrderBy(order_by, fields, byName);
    const parsed = parseFilter(filter ?? '', fields);
    const page = readPage(page_size, page_token, ['runs', experimentId, filter, order]);
    const rows = await this.#store.withSnapshot(tenantId, async ({ trx, client }) => {
      await requireExperiment(trx, caller, experimentId);
      const live = await readLiveStats({ trx, client }, tenantId, experimentId, tagsOf(parsed, order));
      return listRuns(trx, tenantId, { experimentId, filter: parsed, order, limit: page.size + 1, after: numberAfter(page), live });
    });
    if (!rows) throw staleToken();
    const { items, nextPageToken } = cutPage(rows, page, (row) => row.runId);
    return {
      runs: items.map((run) => ({
        run: run.run,
        start_time: exactFloat(run.startTime),
        last_time: exactFloat(run.lastTime),
        status: run.status,
        group: run.group,
        hparams: run.hparams ?? {},
      })),
      ...(nextPageToken && { next_page_token: nextPageToken }),
    };
  }
}
