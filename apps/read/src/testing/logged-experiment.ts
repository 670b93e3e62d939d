import type { ExperimentId } from '#model';
import { Store } from '#store';
import { DeletionWorld, recordsOf, type TestEvent } from '../../../ingest/src/testing/deletion-world.ts';
import type { ReadService, TestTenant } from './read-service.ts';

/** Creates experiments in a service with the real code for acknowledgement and ingest. */
export class LoggedExperiments {
  readonly world: DeletionWorld;
  readonly #store: Store;

  constructor(service: ReadService) {
    this.#store = new Store(service.database);
    this.world = new DeletionWorld(this.#store, service.blobs);
  }

  /** Creates an experiment with these runs: run name to events. */
  async make(tenant: TestTenant, runs: Readonly<Record<string, readonly TestEvent[]>>, name = ''): Promise<ExperimentId> {
    const experimentId = await this.world.experiment(tenant, name);
    for (const [run, events] of Object.entries(runs)) await this.log(tenant, experimentId, run, events);
    return experimentId;
  }

  /** Adds a file to a run; returns its id. */
  async log(
    tenant: TestTenant,
    experimentId: ExperimentId,
    run: string,
    events: readonly TestEvent[],
    file = 'events.1.secret-host',
  ): Promise<string> {
    const fileId = await this.world.open(tenant, experimentId, run, file);
    await this.world.append(tenant, experimentId, fileId, 0, recordsOf(events, true));
    await this.world.ingest(tenant);
    return fileId;
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
