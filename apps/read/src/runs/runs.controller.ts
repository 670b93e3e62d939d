import { Body, Controller, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { z } from 'zod';
import {
  changeRuns,
  cutPage,
  idAfter,
  parseFields,
  parseFilter,
  parseOrderBy,
  readPage,
  requireExperiment,
  staleToken,
} from '#experiments';
import { Caller, Does, NamesSeries, parse, ParseExperimentId } from '#http';
import { listRunPage, listRunsBehind, type RunBehind, runFields, sameField, Store } from '#store';
import { type ExperimentId, isRunId, limits } from '#model';
import { PointCache, type PointCaches, RunPointsCache } from '#series';
import { integerJson } from '../experiments/integer-json.ts';
import { listQuery } from '../experiments/experiments.controller.ts';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { flag, labels, lookUpName, textUpTo, waiting } from '../query-schemas.ts';
import { exactInteger } from '../json.ts';
import { readLiveStats, tagsOf } from './live-runs.ts';
import { comparedPoints, isOfPoint, readPointValues, withPointValues } from './point-values.ts';
import { toRunJson } from './run-json.ts';

/**
 * Maximum number of cached points of each kind, for lists with values at steps. Together, they take
 * about 50 MB.
 */
const maxPoints = { single: 50_000, ofAllRuns: 200_000 };

/** Maximum values per run in one list. */
const maxValues = 50;

const fieldTexts = z.union([lookUpName.transform((one) => [one]), z.array(lookUpName).max(maxValues)]).optional();

export const runsQuery = listQuery.extend({
  value: fieldTexts.meta({
    description:
      'Sort keys, repeated: `duration`, `last("val/acc")`, `value_at("val/acc", 1000)`. Each run has these values in `values`, in this order.',
  }),
  total: flag.optional().meta({ description: 'Whether the first page includes the number of runs that match the filter, as `total`.' }),
  ...waiting,
});
export const changeRunsBody = z.strictObject({
  runs: z.array(lookUpName).min(1).max(limits.maxPageSize).meta({ description: 'Names of runs. The request changes all of them or none.' }),
  display_name: textUpTo(limits.maxRunDisplayNameCharacters)
    .optional()
    .meta({ description: 'The display name. An empty name removes it.' }),
  labels: labels.optional(),
  notes: textUpTo(limits.maxRunNotesCharacters).optional().meta({ description: 'Markdown.' }),
  archived: z.boolean().optional(),
});

/** A run that is behind, in responses. */
export const runBehindJson = z.object({
  run: z.string(),
  since: z.string().meta({ description: 'When the oldest pending bytes arrived.' }),
  bytes: integerJson,
  why: z.enum(['failing', 'deletion', 'working', 'waiting']).meta({
    description:
      "`failing`: the last attempt failed; `detail` has the error. `deletion`: a deletion of the run's points runs first. `working`: a worker is ingesting the run; if this takes long, the worker is slow or hangs, and another worker takes over after 30 s of silence. `waiting`: no worker has claimed the run yet.",
  }),
  detail: z.string().nullable(),
  failures: z.int(),
  next_try_at: z.string().nullable(),
});

/** Maximum runs in the list. The list has the runs that have waited longest. */
const maxBehind = 100;

/** The runs of an experiment that have a readable event, and the runs that are behind. */
@Controller('api/v1/experiments/:experimentId/runs')
export class RunsController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;
  readonly #caches: PointCaches = { points: new PointCache(maxPoints.single), runs: new RunPointsCache(maxPoints.ofAllRuns) };

  constructor(store: Store, watch: FrontierWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  @Does('experiment.view')
  @Get()
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { filter, order_by, value, total: counted, page_size, page_token, ...wait } = parse(runsQuery, query, 'the query');
    const { tenantId } = caller;
    const fields = runFields(tenantId, [], caller.view);
    const byName = { field: 'name', argument: null, descending: false };
    const order = order_by === undefined ? [byName] : parseOrderBy(order_by, fields, byName);
    const parsed = parseFilter(filter ?? '', fields);
    const values = parseFields(value ?? [], fields);
    const compared = comparedPoints(parsed, order);
    const page = readPage(page_size, page_token, ['runs', experimentId, filter, order]);
    await waitVisible(this.#store, this.#watch, caller, experimentId, wait);
    const { listed, behind } = await this.#store.withSnapshot(tenantId, async (snapshot) => {
      await requireExperiment(snapshot, caller, experimentId, 'experiment.view');
      const live = await readLiveStats(snapshot, experimentId, tagsOf(parsed, [...order, ...values]), caller.view);
      const points = await readPointValues(snapshot, { experimentId, runIds: null, view: caller.view }, compared, this.#caches);
      const request = {
        experimentId,
        filter: parsed,
        order,
        limit: page.size + 1,
        after: idAfter(page, isRunId),
        live,
        points,
        values: values.filter((ref) => !isOfPoint(ref)),
        counted: counted === true,
        view: caller.view,
      };
      const found = await listRunPage(snapshot, request);
      const missing = values.filter((ref) => isOfPoint(ref) && !points.some((one) => sameField(one.ref, ref)));
      const runIds = found?.runs.map(({ runId }) => runId) ?? [];
      const rest = await readPointValues(snapshot, { experimentId, runIds, view: caller.view }, missing, this.#caches);
      const all = found && withPointValues(values, [...points, ...rest], found.runs);
      return {
        listed: found && { ...found, runs: found.runs.map((run, i) => ({ ...run, values: all![i]! })) },
        // Only members may see the service's ingest state: it may contain names of files, and of
        // runs that the view excludes.
        behind: page.after === null && caller.view === null ? await listRunsBehind(snapshot, experimentId, maxBehind) : [],
      };
    });
    if (!listed) throw staleToken();
    const { runs, total } = listed;
    const { items, nextPageToken } = cutPage(runs, page, (row) => row.runId);
    return {
      runs: items.map((run) => toRunJson(run, caller.view)),
      ...(total !== undefined && { total }),
      ...(behind.length > 0 && { behind: behind.map(toBehindJson) }),
      ...(nextPageToken && { next_page_token: nextPageToken }),
    };
  }

  /** Display names, labels and notes of runs. */
  @Does('experiment.update')
  @Patch()
  @NamesSeries()
  @HttpCode(204)
  async change(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Body() body: unknown,
  ): Promise<void> {
    const { display_name: displayName, ...changes } = parse(changeRunsBody, body);
    await changeRuns(this.#store, caller, experimentId, { ...changes, displayName });
  }
}

function toBehindJson(behind: RunBehind): z.input<typeof runBehindJson> {
  return {
    run: behind.run,
    since: behind.since.toISOString(),
    bytes: exactInteger(behind.bytes)!,
    why: behind.why,
    detail: behind.lastError,
    failures: behind.failures,
    next_try_at: behind.nextTryAt?.toISOString() ?? null,
  };
}
