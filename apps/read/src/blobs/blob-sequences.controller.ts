import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { blobKey, BlobStore } from '#blobs';
import { requireExperiment } from '#experiments';
import { Caller, Does, NamesSeries, parse, Reads, ParseExperimentId } from '#http';
import type { ExperimentId } from '#model';
import { blobSequencesJson, type BlobType, readBlobSequenceValues } from '#series';
import { Store } from '#store';
import { FrontierWatch } from '../frontier/frontier-watch.ts';
import { sendTagged } from '../scalars/send.ts';
import { waitVisible } from '../frontier/wait-visible.ts';
import { blobSequencesQuery, valuesRequest } from '../tensors/values-query.ts';
import { BlobTypes, dispositionOf } from './blob-types.ts';

/** How long a returned URL is valid for anyone who has it. */
const addressSeconds = 900;

/** Blob sequences of many runs and tags at once: the URL of each image, clip or graph. */
@Controller('api/v1/experiments/:experimentId/blob-sequences')
export class BlobSequencesController {
  readonly #store: Store;
  readonly #types: BlobTypes;
  readonly #blobs: BlobStore;
  readonly #watch: FrontierWatch;

  constructor(store: Store, types: BlobTypes, watch: FrontierWatch, blobs: BlobStore) {
    this.#blobs = blobs;
    this.#store = store;
    this.#types = types;
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
    const query = parse(blobSequencesQuery, body);
    await waitVisible(this.#store, this.#watch, caller, experimentId, query);
    const wanted = valuesRequest(experimentId, query, caller.view);
    const result = await readBlobSequenceValues(this.#store, caller.tenantId, wanted, (scope) =>
      requireExperiment(scope, caller, experimentId, 'experiment.view'),
    );
    const pieces = await blobSequencesJson(result, wanted, query.indices ?? null, async (sha256, size) => {
      const type = await this.#types.typeOf(caller.tenantId, sha256, size);
      return { contentType: type.contentType, url: await this.#addressOf(caller, sha256, type) };
    });
    await sendTagged(request, response, 'application/json; charset=utf-8', pieces);
  }

  /**
   * A URL at which the blob store itself serves the blob for a few minutes, with the same headers
   * as our own URL: a type from our list, or else a download. Not for visitors: such a URL outlives
   * their link and contains the workspace id.
   */
  async #addressOf({ tenantId, view }: Caller, sha256: string, type: BlobType): Promise<string | null> {
    if (view) return null;
    return this.#blobs.presign(tenantId, blobKey(Buffer.from(sha256, 'hex')), {
      expiresInSeconds: addressSeconds,
      contentType: type.contentType,
      disposition: dispositionOf(type, sha256),
    });
  }
}
