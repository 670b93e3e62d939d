import { Controller } from '@nestjs/common';
import { noSuchExperiment, requireExperiment, requireExperimentId } from '#experiments';
import { GrpcCaller, Message, Rpc } from '#grpc';
import { type Caller, Does, PublicUrl } from '#http';
import { type ExperimentId, Problem } from '#model';
import {
  type GetExperimentRequest,
  type GetExperimentResponse,
  type ListPluginsRequest,
  type ListPluginsResponse,
  type ListRunsRequest,
  type ListRunsResponse,
  type Sent,
  timestampOf,
} from '#protocols';
import { listPlugins, listRuns, readExperiment, Store, type TenantScope } from '#store';
import { service } from './data-provider.ts';

/** The limit exists because a list is one message, and the stock page draws a line for each run. */
const maxRuns = 100_000;

/** Stock TensorBoard's requests about an experiment as a whole (protocol reference C). */
@Controller()
export class ExperimentsProvider {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, publicUrl: PublicUrl) {
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  /** The data location is the URL of the experiment's page. */
  @Does('experiment.view')
  @Rpc(service, 'GetExperiment')
  async get(@Message() request: GetExperimentRequest, @GrpcCaller() caller: Caller): Promise<Sent<GetExperimentResponse>> {
    const experimentId = requireExperimentId(request.experimentId);
    const experiment = await this.#read(caller, experimentId, (scope) => readExperiment(scope, experimentId, caller.view));
    if (!experiment) throw noSuchExperiment();
    return {
      dataLocation: this.#publicUrl.at(`/e/${experimentId}`),
      name: experiment.name,
      description: experiment.description,
      creationTime: timestampOf(experiment.createdAt.getTime() / 1000),
    };
  }

  /** The plugins determine which dashboards are active. */
  @Does('experiment.view')
  @Rpc(service, 'ListPlugins')
  async plugins(@Message() request: ListPluginsRequest, @GrpcCaller() caller: Caller): Promise<Sent<ListPluginsResponse>> {
    const experimentId = requireExperimentId(request.experimentId);
    const plugins = await this.#read(caller, experimentId, (scope) => listPlugins(scope, experimentId, caller.view));
    return { plugins: plugins.map((name) => ({ name })) };
  }

  /**
   * Sorted by start time and then by name, as readers show runs. A run without a positive wall time
   * starts at 0 (data rule 4).
   */
  @Does('experiment.view')
  @Rpc(service, 'ListRuns')
  async runs(@Message() request: ListRunsRequest, @GrpcCaller() caller: Caller): Promise<Sent<ListRunsResponse>> {
    const experimentId = requireExperimentId(request.experimentId);
    const order = ['start_time', 'name'].map((field) => ({ field, argument: null, descending: false }));
    const limit = maxRuns + 1;
    const runs = await this.#read(caller, experimentId, (scope) =>
      listRuns(scope, { experimentId, filter: null, order, limit, after: null, live: [], view: caller.view }),
    );
    if (!runs || runs.length > maxRuns)
      throw new Problem('answer-too-large', `The experiment has more than ${maxRuns} runs, the limit for one list.`);
    const started = runs.map(({ run, startTime }) => ({ name: run, startTime: startTime ?? 0 }));
    return { runs: started.sort((a, b) => a.startTime - b.startTime) };
  }

  #read<T>(caller: Caller, experimentId: ExperimentId, read: (scope: TenantScope) => Promise<T>): Promise<T> {
    return this.#store.withSnapshot(caller.tenantId, async (snapshot) => {
      await requireExperiment(snapshot, caller, experimentId, 'experiment.view');
      return read(snapshot);
    });
  }
}
