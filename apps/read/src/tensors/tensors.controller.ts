import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BlobStore } from '#blobs';
import { requireExperiment } from '#experiments';
import { Caller, Does, NamesSeries, parse, Reads, ParseExperimentId } from '#http';
import type { ExperimentId } from '#model';
import { bytesLost } from '#originals';
import { readTensorValues, tensorsJson } from '#series';
import { Store } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { reserveResponse } from '../scalars/response-memory.ts';
import { sendTagged } from '../scalars/send.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { tensorsQuery, valuesRequest } from './values-query.ts';

/** Tensors of many runs and tags at once: histograms, PR curves, texts, other small values. */
@Controller('api/v1/experiments/:experimentId/tensors')
export class TensorsController {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #watch: FrontierWatch;

  constructor(store: Store, blobs: BlobStore, watch: FrontierWatch) {
    this.#store = store;
    this.#blobs = blobs;
    this.#watch = watch;
  }

  @Does('experiment.view')
  @Post('query')
  @Reads()
  @NamesSeries()
  async query(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const query = parse(tensorsQuery, body);
    await waitVisible(this.#store, this.#watch, caller, experimentId, query);
    const wanted = valuesRequest(experimentId, query, caller.view);
    const result = await readTensorValues(
      this.#store,
      caller.tenantId,
      wanted,
      (scope) => requireExperiment(scope, caller, experimentId, 'experiment.view'),
      reserveResponse(response),
    );
    const pieces = await tensorsJson(
      result,
      wanted,
      (key) => this.#blobs.get(caller.tenantId, key).catch(bytesLost('The values of a tensor')),
      query.packed,
    );
    await sendTagged(request, response, 'application/json; charset=utf-8', pieces);
  }
}
