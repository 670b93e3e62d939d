import { Controller } from '@nestjs/common';
import { changeExperiment, createExperiment, noSuchExperiment, removeExperiment } from '#experiments';
import { Cancelled, GrpcCaller, Message, Patient, type RefusedMessage, Rpc } from '#grpc';
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
import { requireRoomForExperiment } from '#workspaces';
import { BodyBudget } from '../files/body-budget.ts';
import { BlobSequences } from './blob-sequences.ts';
import { patiently } from './patience.ts';
import { receiveBlob } from './receive-blob.ts';
import { readWriteScalar, readWriteTensor } from './request-records.ts';
import { UploaderRequests } from './uploader-requests.ts';

const service = 'tensorboard.service.TensorBoardWriterService';

/** BlobState. */
const blobState = { unfinalized: 1, current: 2 } as const;

/** A client gives a call 30 s, and tries it again; who waits here for less is answered in time. */
const patienceSeconds = 20;

/** Of a stream, which a client does not try again: whatever passes is waited for. */
const streamPatienceSeconds = 3_600;

/**
 * TensorBoardWriterService: what `tensorboard dev upload` and its like send (docs/protocols.md). A write is answered when it is durable, by the same ledger, queue and worker as
 * an upload of event files. Whatever may pass is waited for, and then answered with a status that clients try again.
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
  @Patient(patienceSeconds)
  @Rpc(service, 'CreateExperiment')
  async create(
    @Message() { name, description }: CreateExperimentRequest,
    @GrpcCaller() caller: Caller,
  ): Promise<Sent<CreateExperimentResponse>> {
    const { quotas } = await this.#gate.terms(caller.tenantId);
    const { experimentId } = await this.#store.withTenant(caller.tenantId, async (trx) => {
      await requireRoomForExperiment(trx, caller.tenantId, quotas.experiments);
      return createExperiment(trx, caller, { name, description });
    });
    return { experimentId, url: this.#publicUrl.at(`/e/${experimentId}`) };
  }

  /** Name and description; what the service counts itself cannot be set. */
  @Does('experiment.update')
  @Patient(patienceSeconds)
  @Rpc(service, 'UpdateExperiment')
  async update(@Message() { experiment, experimentMask }: UpdateExperimentRequest, @GrpcCaller() caller: Caller): Promise<object> {
    if (!experiment) throw noSuchExperiment();
    const counted = masked(experimentMask).filter((field) => field !== 'name' && field !== 'description');
    if (counted.length > 0)
      throw new Problem('bad-request', `Only the name and the description can be changed, not ${counted.join(', ')}.`);
    await changeExperiment(this.#store, caller, experiment.experimentId, {
      ...(experimentMask?.name ? { name: experiment.name } : {}),
      ...(experimentMask?.description ? { description: experiment.description } : {}),
    });
    return {};
  }

  @Does('experiment.delete')
  @Patient(patienceSeconds)
  @Rpc(service, 'DeleteExperiment')
  async remove(@Message() { experimentId }: DeleteExperimentRequest, @GrpcCaller() caller: Caller): Promise<object> {
    await this.#store.withTenant(caller.tenantId, (trx) => removeExperiment(trx, caller, experimentId));
    return {};
  }

  /** What was deleted is removed in the background, without being asked to: there is nothing left to purge. */
  @Does('workspace.read')
  @Rpc(service, 'PurgeData')
  async purge(): Promise<Sent<PurgeDataResponse>> {
    return { purgeStats: { tags: 0, experiments: 0, users: 0 } };
  }

  @Does('experiment.upload')
  @Patient(patienceSeconds)
  @Rpc(service, 'WriteScalar')
  async writeScalar(@Message() message: Buffer, @GrpcCaller() caller: Caller, @Cancelled() signal: AbortSignal): Promise<object> {
    const { experimentId, records } = await readWriteScalar(message, signal);
    await patiently({ ms: patienceSeconds * 1_000, signal }, async () =>
      this.#requests.take(await stillThere(caller), experimentId, records, { signal }),
    );
    return {};
  }

  @Does('experiment.upload')
  @Patient(patienceSeconds)
  @Rpc(service, 'WriteTensor')
  async writeTensor(@Message() message: Buffer, @GrpcCaller() caller: Caller, @Cancelled() signal: AbortSignal): Promise<object> {
    const { experimentId, records } = await readWriteTensor(message, signal);
    await patiently({ ms: patienceSeconds * 1_000, signal }, async () =>
      this.#requests.take(await stillThere(caller), experimentId, records, { signal }),
    );
    return {};
  }

  @Does('experiment.upload')
  @Patient(patienceSeconds)
  @Rpc(service, 'GetOrCreateBlobSequence')
  async openSequence(
    @Message() request: GetOrCreateBlobSequenceRequest,
    @GrpcCaller() caller: Caller,
    @Cancelled() signal: AbortSignal,
  ): Promise<Sent<GetOrCreateBlobSequenceResponse>> {
    return {
      blobSequenceId: await patiently({ ms: patienceSeconds * 1_000, signal }, async () =>
        this.#sequences.open(await stillThere(caller), request),
      ),
    };
  }

  /** A blob is there as a whole or not at all: who goes on with one begins at its first byte. */
  @Does('experiment.upload')
  @Rpc(service, 'GetBlobMetadata')
  async blobMetadata(
    @Message() { blobSequenceId, index }: GetBlobMetadataRequest,
    @GrpcCaller() caller: Caller,
  ): Promise<Sent<GetBlobMetadataResponse>> {
    const blob = await this.#sequences.state(caller, blobSequenceId, Number(BigInt.asIntN(32, index)));
    return blob ? { blobState: blobState.current, size: blob.size, crc32c: blob.crc32c } : { blobState: blobState.unfinalized, size: 0 };
  }

  /** Clients do not try a stream again, and stop whatever its status: what may pass is waited for, with the sender held back. */
  @Does('experiment.upload')
  @Patient(streamPatienceSeconds)
  @Rpc(service, 'WriteBlob')
  async *writeBlob(
    @Message() messages: AsyncIterable<WriteBlobRequest | RefusedMessage>,
    @GrpcCaller() caller: Caller,
    @Cancelled() signal: AbortSignal,
  ): AsyncGenerator<Sent<WriteBlobResponse>> {
    const patience = { ms: streamPatienceSeconds * 1_000, signal };
    const share = this.#budget.share(caller.tenantId);
    try {
      const received = await receiveBlob(messages, share, (first) => patiently(patience, () => this.#sequences.check(caller, first)));
      if (received === null) return;
      const { blob } = received;
      if (blob === null) {
        yield { blobState: blobState.unfinalized, size: 0 };
        return;
      }
      await patiently(patience, async () => this.#sequences.put(await stillThere(caller), blob));
      yield { blobState: blobState.current, size: blob.size };
    } finally {
      share.release();
    }
  }

  @Does('workspace.read')
  @Rpc(service, 'GetUser')
  async user(@GrpcCaller() { personId }: Caller): Promise<Sent<GetUserResponse>> {
    return { userId: personId };
  }

  /** Whoever is erased says their name, which this method has no place for. */
  @Does('workspace.read')
  @Rpc(service, 'DeleteOwnUser')
  async eraseUser(): Promise<never> {
    throw new Problem('bad-request', 'Erasing a person requires their name: use `plotline person erase`, or DELETE /api/v1/person.');
  }
}

/** The names of the fields that a mask has. */
function masked(mask: ExperimentMask | null): string[] {
  return Object.entries(mask ?? {}).flatMap(([field, wanted]) => (wanted === true ? [field] : []));
}

/** The caller, who may have lost their rights: what waits, or arrives slowly, may take longer than a token holds. Throws as the guard does. */
async function stillThere(caller: Caller): Promise<Caller> {
  await requireStill(caller);
  return caller;
}
