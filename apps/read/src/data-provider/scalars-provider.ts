import { Controller } from '@nestjs/common';
import { requireExperiment } from '#experiments';
import { Cancelled, GrpcCaller, Message, Rpc } from '#grpc';
import { type Caller, Does } from '#http';
import type { ListScalarsRequest, ListScalarsResponse, ReadScalarsRequest, Sent } from '#protocols';
import { listForReaders, readSampled, SampleCache } from '#series';
import { Store } from '#store';
import { byRun } from './by-run.ts';
import { service } from './data-provider.ts';
import { mergeListed, mergeSampled } from './merge-writers.ts';
import { readScalarsMessage } from './scalars-message.ts';
import { pointsOf, selectionOf } from './selection.ts';
import { seriesMetadata } from './series-metadata.ts';

/**
 * Pages repeat their requests every 30 seconds, so samples of 2,000 series are cached. The samples
 * are never returned without an access check.
 */
const keptBytes = 64 * 1024 * 1024;

/** Scalars for stock TensorBoard (protocol reference C). */
@Controller()
export class ScalarsProvider {
  readonly #store: Store;
  readonly #samples = new SampleCache(keptBytes);

  constructor(store: Store) {
    this.#store = store;
  }

  @Does('experiment.view')
  @Rpc(service, 'ListScalars')
  async list(@Message() request: ListScalarsRequest, @GrpcCaller() caller: Caller): Promise<Sent<ListScalarsResponse>> {
    const selection = selectionOf(request, caller.view);
    const list = await listForReaders(this.#store, caller.tenantId, 'scalar', selection, (scope) =>
      requireExperiment(scope, caller, selection.experimentId, 'experiment.view'),
    );
    return {
      runs: byRun(mergeListed(list), (series) => ({ tagName: series.tag, metadata: seriesMetadata('scalar', selection.plugin, series) })),
    };
  }

  @Does('experiment.view')
  @Rpc(service, 'ReadScalars')
  async read(@Message() request: ReadScalarsRequest, @GrpcCaller() caller: Caller, @Cancelled() cancelled: AbortSignal): Promise<Buffer> {
    const selection = selectionOf(request, caller.view);
    const wanted = { ...selection, points: pointsOf(request), unlisted: false, from: null, to: null };
    const list = await readSampled(
      this.#store,
      caller.tenantId,
      wanted,
      (scope) => requireExperiment(scope, caller, wanted.experimentId, 'experiment.view'),
      { signal: cancelled, cache: this.#samples },
    );
    return readScalarsMessage(mergeSampled(list, wanted.points));
  }
}
