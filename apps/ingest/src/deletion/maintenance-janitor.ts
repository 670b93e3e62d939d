import { randomUUID } from 'node:crypto';
import { auditService } from '#experiments';
import type { TenantId } from '#model';
import {
  insertDeletion,
  readOldOriginals,
  readTenantsWithOldAudit,
  readTenantsWithOldOriginals,
  removeOldAuditEntries,
  type Store,
  claimMaintenance,
} from '#store';
import { Janitor, type JanitorOptions } from '../janitor.ts';
import { removeExpiredRows } from './remove-expired-rows.ts';
import type { OrphanCount } from './collect-orphans.ts';

/** Collects orphans, in a thread of the pool. */
export interface OrphanRunner {
  collectOrphans(graceMs: number): Promise<OrphanCount>;
}

/** When and how the {@link MaintenanceJanitor} runs. */
export interface MaintenanceOptions extends JanitorOptions {
  readonly orphanGraceMs: number;
  readonly onOrphans: (count: OrphanCount) => void;
}

const hourMs = 3_600_000;
const expiredEveryMs = 600_000;
const maxTenantsPerRound = 1_000;
/** Maximum audit log entries that one transaction removes. */
const maxAuditEntries = 10_000;

/**
 * Runs periodically, in one process at a time: collects orphaned objects, starts to remove
 * originals whose retention has expired, and removes old audit log entries and expired rows.
 */
export class MaintenanceJanitor extends Janitor {
  readonly #store: Store;
  readonly #runner: OrphanRunner;
  readonly #options: MaintenanceOptions;

  constructor(store: Store, runner: OrphanRunner, options: MaintenanceOptions) {
    super('maintenance', options);
    this.#store = store;
    this.#runner = runner;
    this.#options = options;
  }

  override async round(): Promise<void> {
    const { orphanGraceMs, onOrphans } = this.#options;
    if (await claimMaintenance(this.#store.global, 'originals', hourMs)) {
      const tenantIds = await readTenantsWithOldOriginals(this.#store.sweeper, maxTenantsPerRound);
      await this.doEach(tenantIds, (tenantId) => this.#beginRetention(tenantId));
    }
    if (await claimMaintenance(this.#store.global, 'audit', hourMs)) {
      const tenantIds = await readTenantsWithOldAudit(this.#store.sweeper, maxTenantsPerRound);
      await this.doEach(tenantIds, (tenantId) => this.#shortenAudit(tenantId));
    }
    if (await claimMaintenance(this.#store.global, 'expired', expiredEveryMs)) await removeExpiredRows(this.#store, () => this.isClosing);
    if (await claimMaintenance(this.#store.global, 'orphans', Math.min(hourMs, orphanGraceMs / 4)))
      onOrphans(await this.#runner.collectOrphans(orphanGraceMs));
  }

  async #beginRetention(tenantId: TenantId): Promise<void> {
    await this.#store.withTenant(tenantId, async (scope) => {
      if ((await readOldOriginals(scope, null, 1)).length === 0) return;
      const all = {
        experimentId: null,
        runIds: null,
        tagHashes: null,
        fromStep: null,
        toStep: null,
        throughEpoch: null,
        requestedBy: null,
      };
      const deletionId = randomUUID();
      await insertDeletion(scope, { deletionId, kind: 'originals', ...all });
      await auditService(scope, { action: 'originals.delete', objectId: deletionId });
    });
  }

  async #shortenAudit(tenantId: TenantId): Promise<void> {
    const shorten = () => this.#store.withTenant(tenantId, (scope) => removeOldAuditEntries(scope, maxAuditEntries));
    while ((await shorten()) === maxAuditEntries);
  }
}
