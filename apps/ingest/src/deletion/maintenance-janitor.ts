import { randomUUID } from 'node:crypto';
import { insertDeletion, readOldOriginals, readTenantsWithOldOriginals, type Store, takeTurn } from '#store';
import { IngestPoolClosed } from '../ingest-pool.ts';
import type { OrphanCount } from './collect-orphans.ts';

/** Collects orphans somewhere: in a thread of the pool. */
export interface OrphanRunner {
  collectOrphans(graceMs: number): Promise<OrphanCount>;
}

/** When and how the {@link MaintenanceJanitor} works. */
export interface MaintenanceOptions {
  /** How often it looks whether something is due. */
  readonly everyMs: number;
  readonly orphanGraceMs: number;
  readonly onOrphans: (count: OrphanCount) => void;
  readonly onError: (error: unknown) => void;
}

const hourMs = 3_600_000;
const maxTenantsPerRound = 1_000;

/** Once an hour, by one process of all: collects orphaned objects, and begins to remove originals that workspaces do not want to keep any longer. */
export class MaintenanceJanitor {
  readonly #store: Store;
  readonly #runner: OrphanRunner;
  readonly #options: MaintenanceOptions;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;

  constructor(store: Store, runner: OrphanRunner, options: MaintenanceOptions) {
    this.#store = store;
    this.#runner = runner;
    this.#options = options;
  }

  /** Starts to look, one look at a time. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.round()
        .catch((error: unknown) => {
          if (!(error instanceof IngestPoolClosed)) this.#options.onError(error);
        })
        .finally(() => {
          this.#round = null;
        });
    }, this.#options.everyMs);
  }

  /** One look. */
  async round(): Promise<void> {
    const { orphanGraceMs, onOrphans } = this.#options;
    if (await takeTurn(this.#store.global, 'originals', hourMs)) await this.#beginRetention();
    if (await takeTurn(this.#store.global, 'orphans', Math.min(hourMs, orphanGraceMs / 4)))
      onOrphans(await this.#runner.collectOrphans(orphanGraceMs));
  }

  async #beginRetention(): Promise<void> {
    for (const tenantId of await readTenantsWithOldOriginals(this.#store.sweeper, maxTenantsPerRound)) {
      await this.#store.withTenant(tenantId, async (trx) => {
        if ((await readOldOriginals(trx, tenantId, '0', 1)).length === 0) return;
        const all = {
          experimentId: null,
          runIds: null,
          tagHashes: null,
          fromStep: null,
          toStep: null,
          throughEpoch: null,
          requestedBy: null,
        };
        await insertDeletion(trx, tenantId, { deletionId: randomUUID(), kind: 'originals', ...all });
      });
    }
  }

  /** No further looks; resolves when the running one is over. */
  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#round;
  }
}
