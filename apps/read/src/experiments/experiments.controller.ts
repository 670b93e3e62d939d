import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import {
  changeExperiment,
  createExperiment,
  cutPage,
  idAfter,
  newestFirst,
  noSuchExperiment,
  parseFilter,
  parseExperimentOrder,
  readPage,
  removeExperiment,
  requireExperiment,
  staleToken,
} from '#experiments';
import { Caller, Does, Idempotency, Idempotent, type IdempotentRequest, parse, PublicUrl, WorkspaceGate, ParseExperimentId } from '#http';
import { type ExperimentId, isExperimentId, limits } from '#model';
import { experimentFields, listExperiments, readExperiment, Store, type TenantScope } from '#store';
import { requireExperimentQuota } from '#workspaces';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { flag, labels, onlyWaiting, paging, textUpTo } from '../query-schemas.ts';
import { toExperimentJson } from './experiment-json.ts';
import { maxNewestRuns, readNewestRunJson } from './newest-run.ts';

const texts = {
  name: textUpTo(limits.maxExperimentNameCharacters).optional(),
  description: textUpTo(limits.maxExperimentDescriptionCharacters).optional(),
  labels: labels.optional(),
};
export const createBody = z.strictObject({ ...texts, workspace: z.string().max(100).optional() });
export const changeBody = z.strictObject({
  ...texts,
  notes: textUpTo(limits.maxExperimentNotesCharacters).optional(),
  archived: z.boolean().optional(),
  visibility: z.enum(['private', 'public']).optional(),
});
const filterText = textUpTo(limits.maxFilterCharacters).meta({ description: 'A filter expression; see docs/api.md.' });
const orderText = z.string().max(20_000).meta({ description: 'Sort order: fields separated by commas.' });
export const listQuery = z.strictObject({ filter: filterText.optional(), order_by: orderText.optional(), ...paging });
export const experimentsQuery = listQuery.extend({
  newest_run: flag.optional().meta({
    description: `Whether to return the newest run of each experiment as \`newest_run\`. A page then has at most ${maxNewestRuns} experiments.`,
  }),
});

/** Experiments: create, list, read, update, delete. */
@Controller('api/v1/experiments')
export class ExperimentsController {
  readonly #store: Store;
  readonly #idempotency: Idempotency;
  readonly #publicUrl: PublicUrl;
  readonly #watch: FrontierWatch;
  readonly #gate: WorkspaceGate;

  constructor(store: Store, idempotency: Idempotency, publicUrl: PublicUrl, watch: FrontierWatch, gate: WorkspaceGate) {
    this.#gate = gate;
    this.#watch = watch;
    this.#store = store;
    this.#idempotency = idempotency;
    this.#publicUrl = publicUrl;
  }

  @Does('experiment.create')
  @Post()
  async create(
    @Caller() caller: Caller,
    @Idempotent() key: IdempotentRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const experiment = parse(createBody, body);
    const { quotas } = await this.#gate.terms(caller.tenantId);
    return this.#idempotency.run(caller.tenantId, key, response, async (scope) => {
      await requireExperimentQuota(scope, quotas.experiments);
      return { status: 201, body: toExperimentJson(await createExperiment(scope, caller, experiment), caller, this.#publicUrl) };
    });
  }

  @Does('experiment.read')
  @Get()
  async list(@Caller() caller: Caller, @Query() query: unknown) {
    const { filter, order_by, newest_run: withRun, page_size, page_token } = parse(experimentsQuery, query, 'the query');
    const order = order_by === undefined ? newestFirst : parseExperimentOrder(order_by, experimentFields);
    const page = readPage(withRun && page_size ? Math.min(page_size, maxNewestRuns) : page_size, page_token, [
      'experiments',
      filter,
      order,
    ]);
    const after = idAfter(page, isExperimentId);
    const parsed = parseFilter(filter ?? '', experimentFields);
    const listed = { filter: parsed, order, limit: page.size + 1, after, within: caller.experiments };
    const read = async (scope: TenantScope) => {
      const rows = await listExperiments(scope, listed);
      if (!rows) throw staleToken();
      return cutPage(rows, page, (row) => row.experimentId);
    };
    const { items, nextPageToken, newest } = withRun
      ? await this.#store.withSnapshot(caller.tenantId, async (snapshot) => {
          const cut = await read(snapshot);
          return {
            ...cut,
            newest: await readNewestRunJson(
              snapshot,
              cut.items.map(({ experimentId }) => experimentId),
            ),
          };
        })
      : { ...(await this.#store.withTenant(caller.tenantId, read, { readOnly: true })), newest: null };
    return {
      experiments: items.map((item) => ({
        ...toExperimentJson(item, caller, this.#publicUrl),
        ...(newest && { newest_run: newest.get(item.experimentId) ?? null }),
      })),
      ...(nextPageToken && { next_page_token: nextPageToken }),
    };
  }

  @Does('experiment.view')
  @Get(':experimentId')
  async read(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    await waitVisible(this.#store, this.#watch, caller, experimentId, parse(onlyWaiting, query, 'the query'));
    const experiment = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.view');
        return readExperiment(scope, experimentId, caller.view);
      },
      { readOnly: true },
    );
    if (!experiment) throw noSuchExperiment();
    return toExperimentJson(experiment, caller, this.#publicUrl);
  }

  @Does('experiment.update')
  @Patch(':experimentId')
  async change(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Body() body: unknown) {
    return toExperimentJson(await changeExperiment(this.#store, caller, experimentId, parse(changeBody, body)), caller, this.#publicUrl);
  }

  @Does('experiment.delete')
  @Delete(':experimentId')
  @HttpCode(204)
  async remove(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const { deletionId } = await this.#store.withTenant(caller.tenantId, (scope) => removeExperiment(scope, caller, experimentId));
    response.setHeader('Location', `/api/v1/deletions/${deletionId}`);
  }
}
