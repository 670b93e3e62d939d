import type { TenantId } from '#model';
import { claimMaintenance, readTenantsWithExpiredExports, readWaitingExports, type Store, type WaitingExport } from '#store';
import { Janitor, type JanitorOptions } from '../janitor.ts';

/** Works on exports, in a thread of the pool. */
export interface ExportRunner {
  writeExport(job: WaitingExport): Promise<void>;
  removeExports(tenantId: TenantId): Promise<void>;
}

const maxExportsPerRound = 20;
const maxTenantsPerRound = 1_000;
const expireEveryMs = 60_000;

/**
 * Writes exports, one at a time per process and per workspace, alternating between workspaces. One
 * process at a time also removes expired exports. The rows are the queue, so losing a process loses
 * nothing.
 */
export class ExportJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: ExportRunner;

  constructor(store: Store, runner: ExportRunner, options: JanitorOptions) {
    super('exports', options);
    this.#store = store;
    this.#runner = runner;
  }

  override async round(): Promise<void> {
    if (await claimMaintenance(this.#store.global, 'exports', expireEveryMs)) {
      const tenants = await readTenantsWithExpiredExports(this.#store.sweeper, maxTenantsPerRound);
      await this.doEach(tenants, (tenantId) => this.#runner.removeExports(tenantId));
    }
    const waiting = await readWaitingExports(this.#store.sweeper, maxExportsPerRound);
    await this.doEach(waiting, (job) => this.#runner.writeExport(job));
  }
}
