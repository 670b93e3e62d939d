import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { audit, requireExperiment, requireNames } from '#experiments';
import { Caller, Does, NamesSeries, parse, ParseExperimentId } from '#http';
import { type ExperimentId, limits } from '#model';
import { countRepairs, requestRepair, Store } from '#store';
import { lookUpName } from '../query-schemas.ts';

export const repairBody = z.strictObject({ runs: z.array(lookUpName).min(1).max(limits.maxPageSize).optional() });

export const repairJson = z.object({
  runs_waiting: z.int().meta({ description: 'Number of runs that are still waiting. 0 if the repair is done.' }),
});

/**
 * Reapplies the data rules to stored points, to repair experiments that were stored under older
 * rules.
 */
@Controller('api/v1/experiments/:experimentId/repair')
export class RepairController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  @Does('experiment.update')
  @Post()
  @HttpCode(202)
  @NamesSeries()
  async request(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId, @Body() body: unknown) {
    const { tenantId } = caller;
    const { runs } = parse(repairBody, body);
    return this.#store.withTenant(tenantId, async (scope) => {
      await requireExperiment(scope, caller, experimentId, 'experiment.update');
      if (runs) await requireNames(scope, experimentId, { runs: [...new Set(runs)], tags: [] });
      const found = await requestRepair(scope, experimentId, runs ?? null);
      await audit(scope, caller, { action: 'experiment.repair', experimentId, details: { runs: found } });
      return { runs_waiting: await countRepairs(scope, experimentId) };
    });
  }

  @Does('experiment.read')
  @Get()
  async read(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId) {
    return this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.read');
        return { runs_waiting: await countRepairs(scope, experimentId) };
      },
      { readOnly: true },
    );
  }
}
