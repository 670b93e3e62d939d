import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { type DeletionRequest, findDeletion, findDeletions, requestDeletion, selectDoomed } from '#experiments';
import { Caller, Does, Idempotency, Idempotent, type IdempotentRequest, NamesSeries, parse, ParseExperimentId } from '#http';
import { type ExperimentId, limits, Problem } from '#model';
import { countSnapshotsOf, Store } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { lookUpName, onlyWaiting } from '../query-schemas.ts';
import { int64Schema } from '../scalars/scalars-query.ts';
import { toDeletionJson, toPreviewJson } from './deletion-json.ts';
import { previewPoints, previewRuns } from './preview-deletion.ts';

const names = z.array(lookUpName).min(1).max(limits.maxPageSize).optional();

export const deletionBody = z.strictObject({
  runs: names,
  tags: names,
  /** Both ends are inclusive; either may be absent. */
  steps: z.strictObject({ from: int64Schema.optional(), to: int64Schema.optional() }).optional(),
  /**
   * Only reports the data that would be removed. If no other field is set, reports what a deletion
   * of the experiment would remove.
   */
  dry_run: z.boolean().default(false),
});

const listed = 100;

/** Deletions of parts of an experiment, and the progress of deletions of any kind. */
@Controller('api/v1')
export class DeletionsController {
  readonly #store: Store;
  readonly #idempotency: Idempotency;
  readonly #watch: FrontierWatch;

  constructor(store: Store, idempotency: Idempotency, watch: FrontierWatch) {
    this.#watch = watch;
    this.#store = store;
    this.#idempotency = idempotency;
  }

  @Does('experiment.delete')
  @Post('experiments/:experimentId/deletions')
  @NamesSeries()
  async request(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Idempotent() key: IdempotentRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { runs, tags, steps, dry_run: dryRun } = parse(deletionBody, body);
    const request = { runs, tags, steps: steps && checkSteps(steps) };
    if (dryRun) {
      response.status(200);
      return this.#preview(caller, experimentId, request);
    }
    const made = await this.#idempotency.run(caller.tenantId, key, response, async (scope) => ({
      status: 202,
      body: toDeletionJson(await requestDeletion(scope, caller, experimentId, request)),
    }));
    response.setHeader('Location', made.url);
    return made;
  }

  #preview(caller: Caller, experimentId: ExperimentId, request: DeletionRequest): Promise<ReturnType<typeof toPreviewJson>> {
    const { tenantId } = caller;
    return this.#store.withSnapshot(tenantId, async (snapshot) => {
      const selection = await selectDoomed(snapshot, caller, experimentId, request);
      const ofRuns = request.tags === undefined && request.steps === undefined;
      const preview = ofRuns ? await previewRuns(snapshot, selection.runIds) : await previewPoints(snapshot, selection);
      return toPreviewJson(preview, await countSnapshotsOf(snapshot, experimentId));
    });
  }

  @Does('experiment.read')
  @Get('experiments/:experimentId/deletions')
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    await waitVisible(this.#store, this.#watch, caller, experimentId, parse(onlyWaiting, query, 'the query'));
    const deletions = await this.#store.withTenant(caller.tenantId, (scope) => findDeletions(scope, caller, experimentId, listed), {
      readOnly: true,
    });
    return { deletions: deletions.map(toDeletionJson) };
  }

  @Does('workspace.read')
  @Get('deletions/:deletionId')
  async read(@Caller() caller: Caller, @Param('deletionId') deletionId: string) {
    return toDeletionJson(await this.#store.withTenant(caller.tenantId, (scope) => findDeletion(scope, deletionId), { readOnly: true }));
  }
}

function checkSteps({ from, to }: { from?: bigint | undefined; to?: bigint | undefined }): { from: bigint | null; to: bigint | null } {
  if (from === undefined && to === undefined) throw new Problem('bad-request', 'Set `from`, `to`, or both (inclusive).');
  if (from !== undefined && to !== undefined && from > to)
    throw new Problem('bad-request', 'The step range is empty: `from` is greater than `to`.');
  return { from: from ?? null, to: to ?? null };
}
