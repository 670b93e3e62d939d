import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Caller, Does, Idempotency, Idempotent, type IdempotentRequest, NamesSeries, parse, PublicUrl, WorkspaceGate } from '#http';
import { limits } from '#model';
import { takeSnapshot } from '#workspaces';
import { toExperimentJson } from '../experiments/experiment-json.ts';
import { lookUpName, textUpTo } from '../query-schemas.ts';

const names = z.array(lookUpName).min(1).max(limits.maxPageSize).optional();

export const snapshotBody = z.strictObject({
  name: textUpTo(limits.maxExperimentNameCharacters).optional().meta({ description: 'Of the copy; absent: as the experiment is called.' }),
  runs: names.meta({ description: 'Copy these runs only; absent: all.' }),
  tags: names.meta({ description: 'Copy these tags only; absent: all.' }),
});

/** Copies of experiments that never change. */
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
    @Param('experimentId') experimentId: string,
    @Idempotent() key: IdempotentRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { name, runs = null, tags = null } = parse(snapshotBody, body);
    const { quotas } = await this.#gate.terms(caller.tenantId);
    return this.#idempotency.run(caller.tenantId, key, response, async (trx) => ({
      status: 201,
      body: toExperimentJson(
        await takeSnapshot(trx, caller, experimentId, { wish: { name, runs, tags }, quotas }),
        caller,
        this.#publicUrl,
      ),
    }));
  }
}
