import { Controller } from '@nestjs/common';
import { BlobStore } from '#blobs';
import { requireExperiment } from '#experiments';
import { Cancelled, GrpcCaller, Message, Rpc } from '#grpc';
import { type Caller, Does } from '#http';
import type { TenantId } from '#model';
import {
  type ListTensorsRequest,
  type ListTensorsResponse,
  type ReadTensorsRequest,
  type ReadTensorsResponse,
  type Sent,
  tensorMessage,
} from '#protocols';
import { bytesLost } from '#originals';
import { listForReaders, type PickedSeries, readTensorValues } from '#series';
import { type PickedTensor, Store } from '#store';
import { byRun } from './by-run.ts';
import { service } from './data-provider.ts';
import { mergeListed, mergePicked } from './merge-writers.ts';
import { pointsOf, selectionOf } from './selection.ts';
import { seriesMetadata } from './series-metadata.ts';
import { valuesRequest } from './values-request.ts';

/**
 * Tensors for stock TensorBoard (protocol reference C): histograms, texts, PR curves, meshes,
 * hparams.
 */
@Controller()
export class TensorsProvider {
  readonly #store: Store;
  readonly #blobs: BlobStore;

  constructor(store: Store, blobs: BlobStore) {
    this.#store = store;
    this.#blobs = blobs;
  }

  @Does('experiment.view')
  @Rpc(service, 'ListTensors')
  async list(@Message() request: ListTensorsRequest, @GrpcCaller() caller: Caller): Promise<Sent<ListTensorsResponse>> {
    const selection = selectionOf(request, caller.view);
    const list = await listForReaders(this.#store, caller.tenantId, 'tensor', selection, (scope) =>
      requireExperiment(scope, caller, selection.experimentId, 'experiment.view'),
    );
    return {
      runs: byRun(mergeListed(list), (series) => ({ tagName: series.tag, metadata: seriesMetadata('tensor', selection.plugin, series) })),
    };
  }

  @Does('experiment.view')
  @Rpc(service, 'ReadTensors')
  async read(
    @Message() request: ReadTensorsRequest,
    @GrpcCaller() caller: Caller,
    @Cancelled() cancelled: AbortSignal,
  ): Promise<Sent<ReadTensorsResponse>> {
    const points = pointsOf(request);
    const wanted = valuesRequest(request, points, caller.view);
    const { series } = await readTensorValues(this.#store, caller.tenantId, wanted, (scope) =>
      requireExperiment(scope, caller, wanted.experimentId, 'experiment.view'),
    );
    const filled = series.filter(({ total }) => total > 0);
    const large = await this.#readLarge(caller.tenantId, points === 0 ? [] : filled, cancelled);
    return {
      runs: byRun(mergePicked(filled, points), ({ tag, values }) => ({ tagName: tag, data: columnsOf(points === 0 ? [] : values, large) })),
    };
  }

  /**
   * Reads the bodies in the blob store, by key; their total size has the same bound as the
   * response.
   */
  async #readLarge(
    tenantId: TenantId,
    list: readonly PickedSeries<PickedTensor>[],
    cancelled: AbortSignal,
  ): Promise<ReadonlyMap<string, Buffer>> {
    const bodies = new Map<string, Buffer>();
    const left = [...new Set(list.flatMap(({ values }) => values.flatMap(({ objectKey }) => objectKey ?? [])))];
    const readSome = async (): Promise<void> => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) {
        cancelled.throwIfAborted();
        bodies.set(key, await this.#blobs.get(tenantId, key).catch(bytesLost('The values of a tensor')));
      }
    };
    await Promise.all(Array.from({ length: objectsAtOnce }, readSome));
    return bodies;
  }
}

const objectsAtOnce = 8;

function columnsOf(values: readonly PickedTensor[], large: ReadonlyMap<string, Buffer>) {
  return {
    step: values.map(({ step }) => step),
    wallTime: values.map(({ wallTime }) => wallTime),
    value: values.map(({ dtype, shape, body, objectKey }) => {
      const packed = body ?? large.get(objectKey!)!;
      // A tensor that could not be decoded is stored as the original message.
      return tensorMessage(dtype, shape, packed) ?? packed;
    }),
  };
}
