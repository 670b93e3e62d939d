import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { noSuchExperiment, requireExperiment } from '#experiments';
import { Caller, Does, parse, ParseExperimentId } from '#http';
import { type ExperimentId, Problem } from '#model';
import { frontierJson, haveSeveralWriters } from '#series';
import {
  countBlobs,
  type ExperimentFile,
  listFiles,
  listProblems,
  listSeries,
  readFrontier,
  readRunTails,
  type SeriesSummary,
  Store,
} from '#store';
import { integerJson } from '../experiments/integer-json.ts';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { exactInteger } from '../json.ts';
import { waiting } from '../query-schemas.ts';
import { withTails } from '../series-list/live-stats.ts';
import { receiptDigest } from './digest.ts';
import { fileJson, problemJson, toFileJson, toProblemJson } from './file-json.ts';

/**
 * Maximum entries per list in a receipt, because a receipt lists everything. The limit is far above
 * real uploads.
 */
const maxItems = 100_000;

const seriesCountJson = z.object({
  run: z.string(),
  tag: z.string(),
  writer: z.int().optional().meta({ description: 'The number of the writer, if several writers logged this tag of the run: 0, 1, 2 …' }),
  data_class: z.string(),
  listed: z.boolean(),
  points: integerJson.meta({ description: 'Effective points.' }),
  superseded_points: integerJson,
  invalid_points: integerJson,
  mismatched_points: integerJson,
  rounded_points: integerJson,
});

/** The received and the ingested data of an experiment. */
export const receiptJson = z.object({
  experiment_id: z.string(),
  digest: z
    .string()
    .meta({ description: 'SHA-256 (hexadecimal) over lines `run NUL name NUL version NUL bytes NUL crc32c LF` sorted by bytes.' }),
  frontier: z.record(z.string(), z.unknown()),
  totals: z.object({
    files: z.int(),
    bytes: integerJson,
    records: integerJson,
    points: integerJson,
    tensors: integerJson,
    blob_sequences: integerJson,
    blobs: integerJson,
    invalid_points: integerJson,
  }),
  files: z.array(fileJson),
  series: z.array(seriesCountJson),
  problems: z.array(problemJson),
});

export const receiptQuery = z.strictObject(waiting);

/**
 * The receipt is read in one snapshot, so its parts are consistent with each other and with the
 * frontier.
 */
@Controller('api/v1/experiments/:experimentId/receipt')
export class ReceiptController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;

  constructor(store: Store, watch: FrontierWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  @Does('experiment.files')
  @Get()
  async read(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { tenantId } = caller;
    await waitVisible(this.#store, this.#watch, caller, experimentId, parse(receiptQuery, query, 'the query'));
    return this.#store.withSnapshot(tenantId, async (snapshot) => {
      await requireExperiment(snapshot, caller, experimentId, 'experiment.files');
      const frontier = await readFrontier(snapshot, experimentId);
      if (!frontier) throw noSuchExperiment();
      const files = bounded((await listFiles(snapshot, experimentId, maxItems + 1, null, caller.view)) ?? [], 'files');
      const all = {
        experimentId,
        runs: null,
        tags: null,
        plugins: null,
        unlisted: true,
        limit: maxItems + 1,
        after: null,
        view: caller.view,
      };
      const stored = bounded((await listSeries(snapshot, all)) ?? [], 'series');
      const runIds = [...new Set(stored.filter(({ dataClass }) => dataClass === 'scalar').map(({ runId }) => runId))];
      const series = withTails(stored, await readRunTails(snapshot, runIds));
      const ofSeveral = haveSeveralWriters(series);
      const problems = bounded((await listProblems(snapshot, experimentId, maxItems + 1, null, caller.view)) ?? [], 'problems');
      return {
        experiment_id: experimentId,
        digest: receiptDigest(files),
        frontier: frontierJson(frontier),
        totals: totalsOf(files, series, await countBlobs(snapshot, experimentId)),
        files: files.map(toFileJson),
        series: series.map((one) => toCountJson(one, ofSeveral)),
        problems: problems.map(toProblemJson),
      };
    });
  }
}

function bounded<T>(items: readonly T[], what: string): readonly T[] {
  if (items.length > maxItems)
    throw new Problem('answer-too-large', `The experiment has more than ${maxItems} ${what}; read them page by page from /${what}.`);
  return items;
}

function totalsOf(
  files: readonly ExperimentFile[],
  series: readonly SeriesSummary[],
  blobs: number,
): z.input<typeof receiptJson>['totals'] {
  const sum = <T>(items: readonly T[], pick: (item: T) => number): number | string =>
    exactInteger(items.reduce((total, item) => total + pick(item), 0))!;
  const stored = (dataClass: string) =>
    sum(
      series.filter((one) => one.dataClass === dataClass),
      (one) => one.points + one.supersededPoints,
    );
  return {
    files: files.length,
    bytes: sum(files, (file) => file.bytes),
    records: sum(files, (file) => file.records),
    points: stored('scalar'),
    tensors: stored('tensor'),
    blob_sequences: stored('blob_sequence'),
    blobs: exactInteger(blobs)!,
    invalid_points: sum(series, (one) => one.invalidPoints),
  };
}

function toCountJson(series: SeriesSummary, ofSeveral: boolean): z.input<typeof seriesCountJson> {
  return {
    run: series.run,
    tag: series.tag,
    ...(ofSeveral && { writer: series.writer }),
    data_class: series.dataClass,
    listed: series.listed,
    points: exactInteger(series.points)!,
    superseded_points: exactInteger(series.supersededPoints)!,
    invalid_points: exactInteger(series.invalidPoints)!,
    mismatched_points: exactInteger(series.mismatchedPoints)!,
    rounded_points: exactInteger(series.roundedPoints)!,
  };
}
