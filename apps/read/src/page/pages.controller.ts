import { Controller, Get, Next, Param, Query, Req, Res } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { searchWithRun } from '#charts';
import { cutPage, idAfter, newestFirst, parseFilter, readPage, staleToken } from '#experiments';
import { Caller, Does, Page, parse, PublicUrl, sendPage, WorkspaceGate, ParseExperimentId } from '#http';
import { type ExperimentId, isExperimentId, limits, Problem } from '#model';
import { experimentFields, listExperiments, readUsage, Store } from '#store';
import { nearlyUsed } from '#workspaces';
import { toExperimentJson } from '../experiments/experiment-json.ts';
import { readNewestRunJson } from '../experiments/newest-run.ts';
import { warningText } from '../usage/warning-text.ts';
import { Web } from '../web/index.ts';
import { experimentPage, titleOf } from './experiment-page.ts';
import { homePage } from './home-page.ts';
import { homeQuery, plainQuery } from './page-query.ts';
import { plainLink } from './plain-link.ts';
import { readFirstSeries } from './read-first-series.ts';
import { readReader } from './read-reader.ts';
import { readWebExperiment } from './read-web-experiment.ts';
import { shell } from './shell.ts';
import { readShown } from './shown-experiment.ts';

/**
 * The same filter that the page sends to the API (`listParameters` of apps/web): archived
 * experiments are listed only on request.
 */
const notArchived = 'archived = false';

/** The pages, with a script or, for browsers without scripts, as tables (`?plain`). */
@Controller()
export class PagesController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #gate: WorkspaceGate;
  readonly #web: Web;

  constructor(store: Store, publicUrl: PublicUrl, gate: WorkspaceGate, web: Web) {
    this.#store = store;
    this.#gate = gate;
    this.#publicUrl = publicUrl;
    this.#web = web;
  }

  @Page()
  @Does('workspace.read')
  @Get()
  async home(@Caller() caller: Caller, @Query() query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { page_token, plain, ...chosen } = parse(homeQuery, query, 'the query');
    const { tenantId } = caller;
    const page = readPage(undefined, page_token, ['experiments', notArchived, newestFirst]); // the page continues with the list of the API
    const after = idAfter(page, isExperimentId);
    const { quotas } = await this.#gate.terms(tenantId);
    const { base, path } = this.#publicUrl;
    const { renderer } = this.#web;
    const { reader, near, items, nextPageToken, newest } = await this.#store.withSnapshot(tenantId, async (snapshot) => {
      const rows = await listExperiments(snapshot, {
        filter: parseFilter(notArchived, experimentFields),
        order: newestFirst,
        limit: page.size + 1,
        after,
        within: caller.experiments,
      });
      if (!rows) throw staleToken();
      const cut = cutPage(rows, page, (row) => row.experimentId);
      const ids = cut.items.map(({ experimentId }) => experimentId);
      return {
        ...cut,
        newest: renderer && !plain ? await readNewestRunJson(snapshot, ids) : null,
        reader: await readReader(snapshot, caller),
        near: nearlyUsed(await readUsage(snapshot), quotas),
      };
    });
    const title = 'Experiments';
    if (!renderer || plain) {
      const body = shell(reader, path, homePage({ experiments: items, base, basePath: path, next: nextPageToken, near }));
      return sendPage(response, 200, { title, body });
    }
    const experiments = items.map((item) => ({
      ...toExperimentJson(item, caller, this.#publicUrl),
      newest_run: newest?.get(item.experimentId) ?? null,
    }));
    // The script requests a user's selection of runs or tags; their columns are selected from the
    // same response
    const isAll = Object.keys(chosen).every((name) => name === 'column');
    const data = {
      base: path,
      server: base,
      reader,
      warnings: near.map(warningText),
      ...(isAll && { experiments: { experiments, next: nextPageToken, at: new Date().toISOString() } }),
    };
    const first = renderer.renderHome(data, searchOf(request));
    await this.#web.send(response, { title, basePath: path, data, first, plain: plainLink(`${path}/?plain`) });
  }

  @Page()
  @Does('experiment.view')
  @Get('e/:experimentId')
  async experiment(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Query() query: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#sendExperiment({ caller, experimentId, query, search: searchOf(request) }, response);
  }

  /**
   * The page of a run; `run` is its name, which may contain slashes. If the name ends like a
   * picture file, the page is at `?about=`, because the path is the address of a picture.
   */
  @Page()
  @Does('experiment.view')
  @Get('e/:experimentId/r/*run')
  async run(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Param('run') run: readonly string[],
    @Query() query: unknown,
    @Req() request: Request,
    @Res() response: Response,
    @Next() next: NextFunction,
  ): Promise<void> {
    if (/\.(svg|png|csv)$/.test(run.at(-1)!)) return next();
    if (Buffer.byteLength(run.join('/')) > limits.maxRunNameBytes)
      throw new Problem('not-found', `Run names are limited to ${limits.maxRunNameBytes} bytes.`);
    const [pathname] = request.originalUrl.split('?', 1);
    await this.#sendExperiment({ caller, experimentId, query, search: searchWithRun(pathname!, searchOf(request)) }, response);
  }

  async #sendExperiment({ caller, experimentId, query, search }: ExperimentVisit, response: Response): Promise<void> {
    const { plain } = parse(plainQuery, query, 'the query');
    const { tenantId } = caller;
    const { base, path } = this.#publicUrl;
    const { renderer } = this.#web;
    if (!renderer || plain) {
      const { reader, shown } = await this.#store.withSnapshot(tenantId, async (snapshot) => ({
        shown: await readShown(snapshot, caller, experimentId),
        reader: caller.view ? null : await readReader(snapshot, caller),
      }));
      const body = shell(reader, path, experimentPage({ ...shown, links: true, base, basePath: path }));
      return sendPage(response, 200, { title: titleOf(shown.experiment), body });
    }
    const { title, experiment, defaultView, reader } = await this.#store.withSnapshot(tenantId, async (snapshot) => ({
      ...(await readWebExperiment(snapshot, caller, experimentId, this.#publicUrl)),
      reader: caller.view ? null : await readReader(snapshot, caller),
    }));
    const data = { base: path, server: base, reader, experiment };
    if (search === '' && defaultView !== null) {
      response.status(303).setHeader('Location', `${path}/e/${experimentId}?${defaultView}`).setHeader('Cache-Control', 'no-store').end();
      return;
    }
    const needed = renderer.firstQuery(data, search);
    const first = needed ? renderer.renderExperiment(data, search, await readFirstSeries(this.#store, caller, experimentId, needed)) : '';
    await this.#web.send(response, { title, basePath: path, data, first, plain: plainLink(`${path}/e/${experimentId}?plain`) });
  }
}

interface ExperimentVisit {
  readonly caller: Caller;
  readonly experimentId: ExperimentId;
  readonly query: unknown;
  /** The query string, with the run of the path. */
  readonly search: string;
}

/** The query string as sent. */
function searchOf(request: Request): string {
  const at = request.originalUrl.indexOf('?');
  return at < 0 ? '' : request.originalUrl.slice(at);
}
