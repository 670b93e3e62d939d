import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requireExperiment } from '#experiments';
import { Caller, parse, Reads } from '#http';
import { blobSequencesJson, readBlobSequenceValues } from '#series';
import { Store } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { sendTagged } from '../scalars/send.ts';
import { waitVisible } from '../scalars/wait-visible.ts';
import { blobSequencesQuery, valuesRequest } from '../tensors/values-query.ts';
import { BlobTypes } from './blob-types.ts';

/** Blob sequences of many runs and tags at once: where each image, clip or graph is to be had. */
@Controller('api/v1/experiments/:experimentId/blob-sequences')
export class BlobSequencesController {
  readonly #store: Store;
  readonly #types: BlobTypes;
  readonly #watch: FrontierWatch;

  constructor(store: Store, types: BlobTypes, watch: FrontierWatch) {
    this.#store = store;
    this.#types = types;
    this.#watch = watch;
  }

  @Post('query')
  @Reads()
  async query(
    @Caller() caller: Caller,
    @Param('experimentId') experimentId: string,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const query = parse(blobSequencesQuery, body);
    await waitVisible(this.#store, this.#watch, caller, experimentId, query);
    const wanted = valuesRequest(experimentId, query);
    const answer = await readBlobSequenceValues(this.#store, caller.tenantId, wanted, (trx) =>
      requireExperiment(trx, caller, experimentId),
    );
    const bytes = await blobSequencesJson(answer, wanted, query.indices ?? null, (sha256, size) =>
      this.#types.typeOf(caller.tenantId, sha256, size),
    );
    sendTagged(request, response, 'application/json; charset=utf-8', bytes);
  }
}
