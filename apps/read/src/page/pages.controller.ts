import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { cutPage, isExperimentId, newestFirst, noSuchExperiment, readPage, staleToken } from '#experiments';
import { Caller, Page, parse, PublicUrl, sendPage } from '#http';
import {
  countProblems,
  listExperiments,
  listRuns,
  listSeries,
  readExperiment,
  readFrontier,
  readIdentity,
  readRunTails,
  type SeriesSummary,
  type Snapshot,
  Store,
} from '#store';
import { withTails } from '../series-list/live-stats.ts';
import { experimentPage, type TagLine, titleOf } from './experiment-page.ts';
import { homePage } from './home-page.ts';
import { type Reader, shell } from './shell.ts';

const homeQuery = z.strictObject({ page_token: z.string().optional() });
const maxRuns = 500;
const maxTags = 500;
/** Tags are told over all runs; of a larger experiment over this many series. */
const maxSeries = 20_000;

/** The pages for people: without scripts, for whoever is signed in. */
@Controller()
export class PagesController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, publicUrl: PublicUrl) {
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  @Page()
  @Get()
  async home(@Caller() caller: Caller, @Query() query: unknown, @Res() response: Response): Promise<void> {
    const { page_token } = parse(homeQuery, query, 'the query');
    const { tenantId } = caller;
    const page = readPage(undefined, page_token, ['home']);
    if (page.after !== null && !isExperimentId(page.after)) throw staleToken();
    const { reader, rows } = await this.#store.withSnapshot(tenantId, async (snapshot) => ({
      reader: await readReader(snapshot, caller),
      rows: await listExperiments(snapshot.trx, tenantId, { filter: null, order: newestFirst, limit: page.size + 1, after: page.after }),
    }));
    if (!rows) throw staleToken();
    const { items, nextPageToken } = cutPage(rows, page, (row) => row.experimentId);
    const { base, path } = this.#publicUrl;
    sendPage(response, 200, {
      title: 'Experiments',
      body: shell(reader, path, homePage({ experiments: items, base, basePath: path, next: nextPageToken })),
    });
  }

  @Page()
  @Get('e/:experimentId')
  async experiment(@Caller() caller: Caller, @Param('experimentId') experimentId: string, @Res() response: Response): Promise<void> {
    if (!isExperimentId(experimentId)) throw noSuchExperiment();
    const { tenantId } = caller;
    const { reader, ...shown } = await this.#store.withSnapshot(tenantId, async (snapshot) => {
      const { trx, client } = snapshot;
      const experiment = await readExperiment(trx, tenantId, experimentId);
      const frontier = await readFrontier(trx, tenantId, experimentId);
      if (!experiment || !frontier) throw noSuchExperiment();
      const byName = [{ field: 'name', argument: null, descending: false }];
      const runs =
        (await listRuns(trx, tenantId, { experimentId, filter: null, order: byName, limit: maxRuns, after: null, live: [] })) ?? [];
      const all = { experimentId, runs: null, tags: null, plugins: null, unlisted: false, limit: maxSeries, after: null };
      const series = (await listSeries(trx, tenantId, all)) ?? [];
      const tails = await readRunTails(client, tenantId, [...new Set(series.map(({ runId }) => runId))]);
      const tags = tagLines(withTails(series, tails));
      const { problems, truncatedBytes } = await countProblems(trx, tenantId, experimentId);
      return {
        reader: await readReader(snapshot, caller),
        experiment,
        frontier,
        problems,
        unreadableBytes: frontier.rejectedBytes + truncatedBytes,
        runs,
        tags: tags.slice(0, maxTags),
        moreTags: Math.max(0, tags.length - maxTags),
      };
    });
    const { base, path } = this.#publicUrl;
    sendPage(response, 200, {
      title: titleOf(shown.experiment),
      body: shell(reader, path, experimentPage({ ...shown, base, basePath: path })),
    });
  }
}

async function readReader({ trx }: Snapshot, caller: Caller): Promise<Reader> {
  const identity = await readIdentity(trx, caller.tenantId, caller.personId);
  return { workspace: identity?.workspace ?? '', person: identity?.displayName ?? '' };
}

/** One line for each tag, over its runs. */
function tagLines(series: readonly SeriesSummary[]): TagLine[] {
  const lines = new Map<string, TagLine>();
  for (const one of series) {
    const key = JSON.stringify([one.tag, one.plugin]);
    const line = lines.get(key);
    lines.set(key, {
      tag: one.tag,
      plugin: one.plugin,
      runs: (line?.runs ?? 0) + 1,
      points: (line?.points ?? 0) + one.points,
      supersededPoints: (line?.supersededPoints ?? 0) + one.supersededPoints,
      lastStep: later(line?.lastStep ?? null, one.lastStep),
    });
  }
  return [...lines.values()].sort((a, b) => (a.tag < b.tag ? -1 : a.tag > b.tag ? 1 : 0));
}

function later(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b > a) ? b : a;
}
