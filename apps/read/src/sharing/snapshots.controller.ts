import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import {
  Caller,
  Does,
  Idempotency,
  Idempotent,
  type IdempotentRequest,
  NamesSeries,
  parse,
  PublicUrl,
  WorkspaceGate,
  ParseExperimentId,
} from '#http';
import { type ExperimentId, limits } from '#model';
import { takeSnapshot } from '#workspaces';
import { toExperimentJson } from '../experiments/experiment-json.ts';
import { lookUpName, textUpTo } from '../query-schemas.ts';

const names = z.array(lookUpName).min(1).max(limits.maxPageSize).optional();

export const snapshotBody = z.strictObject({
  name: textUpTo(limits.maxExperimentNameCharacters)
    .optional()
    .meta({ description: 'Name of the copy. Default: the name of the experiment.' }),
  runs: names.meta({ description: 'Copy only these runs. Absent: all.' }),
  tags: names.meta({ description: 'Copy only these tags. Absent: all.' }),
});

/** Immutable copies of experiments. */
@Controller('api/v1/experiments/:experimentId/snapshots')
export class SnapshotsController {
  readonly #idempotency: Idempotency;
  readonly #publicUrl: PublicUrl;
  readonly #gate: WorkspaceGate;

  constructor(idempotency: Idempotency, publicUrl: PublicUrl, gate: WorkspaceGate) {
    this.#gate = gate;
    this.#idempotency = idempotency;
    this.#publicUrl = publicUrl;
  }

  @Does('experiment.snapshot')
  @Post()
  @NamesSeries()
  async make(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Idempotent() key: IdempotentRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { name, runs = null, tags = null } = parse(snapshotBody, body);
    const { quotas } = await this.#gate.terms(caller.tenantId);
    return this.#idempotency.run(caller.tenantId, key, response, async (scope) => ({
      status: 201,
      body: toExperimentJson(
        await takeSnapshot(scope, caller, experimentId, { request: { name, runs, tags }, quotas }),
        caller,
        this.#publicUrl,
      ),
    }));
  }
}
