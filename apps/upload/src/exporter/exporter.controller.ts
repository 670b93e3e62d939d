import { Controller, Logger } from '@nestjs/common';
import { currentShare, FairQueue } from '#admission';
import { blobKey, BlobNotFound, BlobStore } from '#blobs';
import { requireExperiment, requireExperimentId } from '#experiments';
import { Cancelled, GrpcCaller, Message, Rpc, VisitsOf } from '#grpc';
import { type Caller, Does, requireStill, whileAllowed } from '#http';
import { type ExperimentId, Problem } from '#model';
import type {
  Sent,
  StreamBlobDataRequest,
  StreamBlobDataResponse,
  StreamExperimentDataRequest,
  StreamExperimentsRequest,
  StreamExperimentsResponse,
} from '#protocols';
import { type PartBounds, readBlobKey, walkExperiment } from '#series';
import { findBlob, type Snapshot, Store, type TenantScope } from '#store';
import { blobMessages } from './blob-messages.ts';
import { experimentDataMessages, type LeftOut } from './experiment-data-messages.ts';
import { listExported } from './list-exported.ts';
import { onSnapshot } from './on-snapshot.ts';
import { waitForVisible } from './wait-for-visible.ts';

const service = 'tensorboard.service.TensorBoardExporterService';

/** Memory per export, in addition to the message being sent. */
const bounds: PartBounds = { points: 50_000, tensorBytes: 8 * 1024 * 1024, blobs: 20_000 };

/**
 * Maximum concurrent exports per process, because each export holds a database connection. Other
 * exports wait.
 */
const maxExports = 4;

/**
 * The requests of `tensorboard dev list` and `export`, and of the DataFrame client (protocol
 * reference B.5). Experiments are read from one database snapshot, at the client's speed.
 */
@Controller()
export class ExporterController {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #exports = new FairQueue('exports', maxExports);
  readonly #log = new Logger('exporter');

  constructor(store: Store, blobs: BlobStore) {
    this.#store = store;
    this.#blobs = blobs;
  }

  @Does('experiment.read')
  @Rpc(service, 'StreamExperiments')
  async *experiments(
    @Message() request: StreamExperimentsRequest,
    @GrpcCaller() caller: Caller,
  ): AsyncGenerator<Sent<StreamExperimentsResponse>> {
    const pages = whileAllowed(listExported(this.#store, caller, request), () => requireStill(caller));
    for await (const experiments of pages) yield { experiments };
  }

  @Does('experiment.view')
  @Rpc(service, 'StreamExperimentData')
  async *data(
    @Message() request: StreamExperimentDataRequest,
    @GrpcCaller() caller: Caller,
    @Cancelled() cancelled: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const { tenantId } = caller;
    const experimentId = requireExperimentId(request.experimentId);
    const admit = (scope: TenantScope): Promise<void> => requireExperiment(scope, caller, experimentId, 'experiment.view');
    await waitForVisible(this.#store, tenantId, experimentId, admit, cancelled);
    const permit = await this.#exports.take(currentShare(), 1, () => cancelled);
    try {
      await requireStill(caller); // the request may have waited
      const messages = onSnapshot(this.#store, tenantId, (snapshot) => this.#messages(snapshot, caller, experimentId));
      yield* whileAllowed(messages, () => requireStill(caller));
    } finally {
      permit.release();
    }
  }

  @Does('experiment.view')
  @VisitsOf(({ blobId }: StreamBlobDataRequest) => readBlobKey(blobId)?.experimentId ?? null)
  @Rpc(service, 'StreamBlobData')
  async *blob(@Message() { blobId }: StreamBlobDataRequest, @GrpcCaller() caller: Caller): AsyncGenerator<Sent<StreamBlobDataResponse>> {
    const place = readBlobKey(blobId);
    if (!place) throw noSuchBlob();
    const found = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, place.experimentId, 'experiment.view');
        return findBlob(scope, place, caller.view);
      },
      { readOnly: true },
    );
    if (!found) throw noSuchBlob();
    const stream = await this.#blobs.stream(caller.tenantId, blobKey(found.sha256)).catch((error: unknown) => {
      throw error instanceof BlobNotFound ? noSuchBlob() : error;
    });
    try {
      yield* blobMessages(whileAllowed(stream as AsyncIterable<Buffer>, () => requireStill(caller)));
    } finally {
      stream.destroy();
    }
  }

  async *#messages(snapshot: Snapshot, caller: Caller, experimentId: ExperimentId): AsyncGenerator<Buffer> {
    const { tenantId, view } = caller;
    await requireExperiment(snapshot, caller, experimentId, 'experiment.view');
    const source = {
      experimentId,
      readObject: (key: string) => this.#blobs.get(tenantId, key),
      // Run names and tag names are user content and must not be logged.
      onLeftOut: ({ step, why }: LeftOut) => this.#log.warn(`an export of ${experimentId} leaves out a point at step ${step}: ${why}`),
    };
    for await (const part of walkExperiment(snapshot, { experimentId, view }, bounds)) yield* experimentDataMessages(part, source);
  }
}

function noSuchBlob(): Problem {
  return new Problem('blob-not-found', 'There is no blob with this id. StreamExperimentData returns the ids.');
}
