import { Controller } from '@nestjs/common';
import { requireExperiment } from '#experiments';
import { Cancelled, GrpcCaller, Message, messageParts, Rpc, VisitsOf } from '#grpc';
import { type Caller, Does, requireStill, whileAllowed } from '#http';
import type {
  ListBlobSequencesRequest,
  ListBlobSequencesResponse,
  ReadBlobRequest,
  ReadBlobResponse,
  ReadBlobSequencesRequest,
  ReadBlobSequencesResponse,
  Sent,
} from '#protocols';
import { type ExperimentId, Problem } from '#model';
import { listForReaders, readBlobKey, readBlobSequenceValues, writeBlobKey } from '#series';
import { type PickedBlobSequence, Store } from '#store';
import { BlobReader } from '../blobs/index.ts';
import { byRun } from './by-run.ts';
import { service } from './data-provider.ts';
import { mergeListed, mergePicked, type MergedValues } from './merge-writers.ts';
import { pointsOf, selectionOf } from './selection.ts';
import { seriesMetadata } from './series-metadata.ts';
import { valuesRequest } from './values-request.ts';

/**
 * Images, audio and graphs for stock TensorBoard (protocol reference C). Blob keys are the same as
 * in the REST API.
 */
@Controller()
export class BlobSequencesProvider {
  readonly #store: Store;
  readonly #blobs: BlobReader;

  constructor(store: Store, blobs: BlobReader) {
    this.#store = store;
    this.#blobs = blobs;
  }

  @Does('experiment.view')
  @Rpc(service, 'ListBlobSequences')
  async list(@Message() request: ListBlobSequencesRequest, @GrpcCaller() caller: Caller): Promise<Sent<ListBlobSequencesResponse>> {
    const selection = selectionOf(request, caller.view);
    const list = await listForReaders(this.#store, caller.tenantId, 'blob_sequence', selection, (scope) =>
      requireExperiment(scope, caller, selection.experimentId, 'experiment.view'),
    );
    return {
      runs: byRun(mergeListed(list), (series) => ({
        tagName: series.tag,
        metadata: { ...seriesMetadata('blob_sequence', selection.plugin, series), maxLength: series.maxLength ?? 0 },
      })),
    };
  }

  @Does('experiment.view')
  @Rpc(service, 'ReadBlobSequences')
  async read(@Message() request: ReadBlobSequencesRequest, @GrpcCaller() caller: Caller): Promise<Sent<ReadBlobSequencesResponse>> {
    const points = pointsOf(request);
    const wanted = valuesRequest(request, points, caller.view);
    const { experimentId } = wanted;
    const { series } = await readBlobSequenceValues(this.#store, caller.tenantId, wanted, (scope) =>
      requireExperiment(scope, caller, experimentId, 'experiment.view'),
    );
    const filled = series.filter(({ total }) => total > 0);
    return {
      runs: byRun(mergePicked(filled, points), ({ tag, values }) => ({
        tagName: tag,
        data: columnsOf(experimentId, points === 0 ? [] : values),
      })),
    };
  }

  /**
   * The request has only the key, which contains the id of the blob's experiment (protocol
   * reference C.2).
   */
  @Does('experiment.view')
  @VisitsOf(({ blobKey }: ReadBlobRequest) => readBlobKey(blobKey)?.experimentId ?? null)
  @Rpc(service, 'ReadBlob')
  async readBlob(
    @Message() { blobKey }: ReadBlobRequest,
    @GrpcCaller() caller: Caller,
    @Cancelled() cancelled: AbortSignal,
  ): Promise<AsyncIterable<Sent<ReadBlobResponse>>> {
    if (!readBlobKey(blobKey)) throw new Problem('bad-request', 'This is not a blob key. ReadBlobSequences returns the keys.');
    const { sha256 } = await this.#blobs.find(caller, blobKey);
    const pieces = await this.#blobs.open(caller.tenantId, sha256);
    return messagesOf(
      whileAllowed(pieces, () => requireStill(caller)),
      cancelled,
    );
  }
}

/** Bytes of the blob in each message except the last; clients accept 4 MiB. */
const messageBytes = 256 * 1024;

async function* messagesOf(pieces: AsyncIterable<Buffer>, cancelled: AbortSignal): AsyncGenerator<{ data: Buffer }> {
  for await (const data of messageParts(pieces, messageBytes)) {
    cancelled.throwIfAborted();
    yield { data };
  }
}

function columnsOf(experimentId: ExperimentId, values: MergedValues<PickedBlobSequence>['values']) {
  return {
    step: values.map(({ step }) => step),
    wallTime: values.map(({ wallTime }) => wallTime),
    // A missing blob has a key too, because readers rely on the positions of the other blobs. A
    // request for it returns not-found.
    values: values.map(({ seriesId, fileId, ordinal, sha256 }) => ({
      blobRefs: sha256.map((_, index) => ({ blobKey: writeBlobKey({ experimentId, seriesId, fileId, ordinal, index }), url: '' })),
    })),
  };
}
