import { Controller } from '@nestjs/common';
import { changeExperiment, createExperiment, noSuchExperiment, removeExperiment, requireExperimentId } from '#experiments';
import { Cancelled, GrpcCaller, Message, type RejectedMessage, Rpc, WaitAtLimit } from '#grpc';
import { Caller, Does, PublicUrl, requireStill, WorkspaceGate } from '#http';
import { Problem } from '#model';
import type {
  CreateExperimentRequest,
  CreateExperimentResponse,
  DeleteExperimentRequest,
  ExperimentMask,
  GetBlobMetadataRequest,
  GetBlobMetadataResponse,
  GetOrCreateBlobSequenceRequest,
  GetOrCreateBlobSequenceResponse,
  GetUserResponse,
  PurgeDataResponse,
  Sent,
  UpdateExperimentRequest,
  WriteBlobRequest,
  WriteBlobResponse,
} from '#protocols';
import { Store } from '#store';
import { requireExperimentQuota } from '#workspaces';
import { BodyBudget } from '../files/body-budget.ts';
import { BlobSequences } from './blob-sequences.ts';
import { receiveBlob } from './receive-blob.ts';
import { readWriteScalar, readWriteTensor } from './request-records.ts';
import { retryTemporary } from './retry-temporary.ts';
import { UploaderRequests } from './uploader-requests.ts';

const service = 'tensorboard.service.TensorBoardWriterService';

/** BlobState. */
const blobState = { unfinalized: 1, current: 2 } as const;

/**
 * How long a call waits, in seconds. A client waits 30 s for a call and then retries it, so the
 * response must arrive before that.
 */
const waitSeconds = 20;

/**
 * How long a stream waits, in seconds. A client does not retry streams, so they wait until any
 * temporary problem is over.
 */
const streamWaitSeconds = 3_600;

/**
 * TensorBoardWriterService, the service for `tensorboard dev upload` and similar clients
 * (docs/protocols.md). A write is acknowledged when it is durable. It uses the same ledger, queue
 * and worker as an upload of event files. Calls wait until temporary problems are over, up to a
 * limit, and then fail with a status on which clients retry.
 */
@Controller()
export class WriterController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #gate: WorkspaceGate;
  readonly #requests: UploaderRequests;
  readonly #sequences: BlobSequences;
  readonly #budget: BodyBudget;

  constructor(
    store: Store,
    publicUrl: PublicUrl,
    gate: WorkspaceGate,
    requests: UploaderRequests,
    sequences: BlobSequences,
    budget: BodyBudget,
  ) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#gate = gate;
    this.#requests = requests;
    this.#sequences = sequences;
    this.#budget = budget;
  }

  @Does('experiment.create')
  @WaitAtLimit(waitSeconds)
  @Rpc(service, 'CreateExperiment')
  async create(
    @Message() { name, description }: CreateExperimentRequest,
    @GrpcCaller() caller: Caller,
  ): Promise<Sent<CreateExperimentResponse>> {
    const { quotas } = await this.#gate.terms(caller.tenantId);
    const { experimentId } = await this.#store.withTenant(caller.tenantId, async (scope) => {
      await requireExperimentQuota(scope, quotas.experiments);
      return createExperiment(scope, caller, { name, description });
    });
    return { experimentId, url: this.#publicUrl.at(`/e/${experimentId}`) };
  }

  /**
   * Clients can set only the name and the description, not the counts that the service maintains.
   */
  @Does('experiment.update')
  @WaitAtLimit(waitSeconds)
  @Rpc(service, 'UpdateExperiment')
  async update(@Message() { experiment, experimentMask }: UpdateExperimentRequest, @GrpcCaller() caller: Caller): Promise<object> {
    if (!experiment) throw noSuchExperiment();
    const counted = masked(experimentMask).filter((field) => field !== 'name' && field !== 'description');
    if (counted.length > 0)
      throw new Problem('bad-request', `Only the name and the description can be changed, not ${counted.join(', ')}.`);
    await changeExperiment(this.#store, caller, requireExperimentId(experiment.experimentId), {
      ...(experimentMask?.name ? { name: experiment.name } : {}),
      ...(experimentMask?.description ? { description: experiment.description } : {}),
    });
    return {};
  }

  @Does('experiment.delete')
  @WaitAtLimit(waitSeconds)
  @Rpc(service, 'DeleteExperiment')
  async remove(@Message() { experimentId }: DeleteExperimentRequest, @GrpcCaller() caller: Caller): Promise<object> {
    await this.#store.withTenant(caller.tenantId, (scope) => removeExperiment(scope, caller, requireExperimentId(experimentId)));
    return {};
  }

  /** Deleted data is removed automatically in the background, so there is nothing left to purge. */
  @Does('workspace.read')
  @Rpc(service, 'PurgeData')
  async purge(): Promise<Sent<PurgeDataResponse>> {
    return { purgeStats: { tags: 0, experiments: 0, users: 0 } };
  }

  @Does('experiment.upload')
  @WaitAtLimit(waitSeconds)
  @Rpc(service, 'WriteScalar')
  async writeScalar(@Message() message: Buffer, @GrpcCaller() caller: Caller, @Cancelled() signal: AbortSignal): Promise<object> {
    const { experimentId, records } = await readWriteScalar(message, signal);
    await retryTemporary({ ms: waitSeconds * 1_000, signal }, async () =>
      this.#requests.take(await stillThere(caller), experimentId, records, { signal }),
    );
    return {};
  }

  @Does('experiment.upload')
  @WaitAtLimit(waitSeconds)
  @Rpc(service, 'WriteTensor')
  async writeTensor(@Message() message: Buffer, @GrpcCaller() caller: Caller, @Cancelled() signal: AbortSignal): Promise<object> {
    const { experimentId, records } = await readWriteTensor(message, signal);
    await retryTemporary({ ms: waitSeconds * 1_000, signal }, async () =>
      this.#requests.take(await stillThere(caller), experimentId, records, { signal }),
    );
    return {};
  }

  @Does('experiment.upload')
  @WaitAtLimit(waitSeconds)
  @Rpc(service, 'GetOrCreateBlobSequence')
  async openSequence(
    @Message() request: GetOrCreateBlobSequenceRequest,
    @GrpcCaller() caller: Caller,
    @Cancelled() signal: AbortSignal,
  ): Promise<Sent<GetOrCreateBlobSequenceResponse>> {
    return {
      blobSequenceId: await retryTemporary({ ms: waitSeconds * 1_000, signal }, async () =>
        this.#sequences.open(await stillThere(caller), request),
      ),
    };
  }

  /**
   * A blob is stored completely or not at all, so a client that resumes a blob starts at its first
   * byte.
   */
  @Does('experiment.upload')
  @Rpc(service, 'GetBlobMetadata')
  async blobMetadata(
    @Message() { blobSequenceId, index }: GetBlobMetadataRequest,
    @GrpcCaller() caller: Caller,
  ): Promise<Sent<GetBlobMetadataResponse>> {
    const blob = await this.#sequences.state(caller, blobSequenceId, Number(BigInt.asIntN(32, index)));
    return blob ? { blobState: blobState.current, size: blob.size, crc32c: blob.crc32c } : { blobState: blobState.unfinalized, size: 0 };
  }

  /**
   * Clients do not retry a stream, and stop whatever its status is. So the call holds back the
   * sender and waits until temporary problems are over.
   */
  @Does('experiment.upload')
  @WaitAtLimit(streamWaitSeconds)
  @Rpc(service, 'WriteBlob')
  async *writeBlob(
    @Message() messages: AsyncIterable<WriteBlobRequest | RejectedMessage>,
    @GrpcCaller() caller: Caller,
    @Cancelled() signal: AbortSignal,
  ): AsyncGenerator<Sent<WriteBlobResponse>> {
    const retryLimit = { ms: streamWaitSeconds * 1_000, signal };
    using share = this.#budget.share(caller.tenantId);
    const received = await receiveBlob(messages, share, (first) => retryTemporary(retryLimit, () => this.#sequences.check(caller, first)));
    if (received === null) return;
    const { blob } = received;
    if (blob === null) {
      yield { blobState: blobState.unfinalized, size: 0 };
      return;
    }
    await retryTemporary(retryLimit, async () => this.#sequences.put(await stillThere(caller), blob));
    yield { blobState: blobState.current, size: blob.size };
  }

  @Does('workspace.read')
  @Rpc(service, 'GetUser')
  async user(@GrpcCaller() { personId }: Caller): Promise<Sent<GetUserResponse>> {
    return { userId: personId };
  }

  /**
   * Erasing a person requires the person's name as confirmation, and this method has no field for
   * it.
   */
  @Does('workspace.read')
  @Rpc(service, 'DeleteOwnUser')
  async eraseUser(): Promise<never> {
    throw new Problem('bad-request', 'Erasing a person requires their name: use `plotline person erase`, or DELETE /api/v1/person.');
  }
}

/** The names of the fields in a mask. */
function masked(mask: ExperimentMask | null): string[] {
  return Object.entries(mask ?? {}).flatMap(([field, wanted]) => (wanted === true ? [field] : []));
}

/**
 * Checks the caller's permissions again, because a request that waits or arrives slowly may outlast
 * its token. Throws the errors of the guard.
 */
async function stillThere(caller: Caller): Promise<Caller> {
  await requireStill(caller);
  return caller;
}
