import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { noSuchExperiment, requireExperiment } from '#experiments';
import { Caller, Does, parse, requireStill, ParseExperimentId } from '#http';
import type { ExperimentId } from '#model';
import { frontierJson, seenFrontier } from '#series';
import { readFrontier, Store } from '#store';
import { waiting } from '../query-schemas.ts';
import { FrontierWatch } from './frontier-watch.ts';
import { defaultTimeoutSeconds } from './wait-visible.ts';

export const frontierQuery = z.strictObject(waiting);

/** The frontier of an experiment, immediately or once it reaches an epoch. */
@Controller('api/v1/experiments/:experimentId/frontier')
export class FrontierController {
  readonly #store: Store;
  readonly #watch: FrontierWatch;

  constructor(store: Store, watch: FrontierWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  @Does('experiment.view')
  @Get()
  async read(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Query() query: unknown) {
    const { wait_for: epoch, timeout } = parse(frontierQuery, query, 'the query');
    const { tenantId } = caller;
    const frontier = await this.#store.withTenant(
      tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.view');
        return readFrontier(scope, experimentId);
      },
      { readOnly: true },
    );
    if (!frontier) throw noSuchExperiment();
    if (epoch === undefined || frontier.epoch >= epoch) return frontierJson(seenFrontier(frontier, caller.view));
    const reached = this.#watch.waitFor(
      tenantId,
      experimentId,
      epoch,
      (timeout ?? defaultTimeoutSeconds) * 1000,
      noSuchExperiment,
      frontier,
    );
    try {
      return frontierJson(seenFrontier(await reached, caller.view));
    } finally {
      await requireStill(caller); // in the error path too: not-visible-yet contains the frontier
    }
  }
}
