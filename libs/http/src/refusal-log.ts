import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '#auth';
import { type Action, auditRefusal, isExperimentId, rules } from '#experiments';
import { Store } from '#store';

/** One line a minute for each person and action is enough to see who tries, and nobody fills the log by trying. */
const everyMs = 60_000;
const maxRemembered = 10_000;

/** Tells the audit log of a workspace what somebody in it wanted and may not, where it takes more than to look (scope `read`). Visitors are in no workspace. */
@Injectable()
export class RefusalLog {
  readonly #log = new Logger('audit');
  readonly #store: Store;
  readonly #told = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Never rejects: the refusal holds whether or not it can be written down. */
  async tell(caller: Caller, action: Action, experimentId: unknown): Promise<void> {
    if (caller.view || rules[action].scope === 'read' || !this.#isDue(`${caller.tenantId} ${caller.personId} ${action}`)) return;
    const experiment = typeof experimentId === 'string' && isExperimentId(experimentId) ? experimentId : null;
    try {
      await this.#store.withTenant(caller.tenantId, (trx) => auditRefusal(trx, caller, action, experiment));
    } catch (error) {
      this.#log.warn(`a rejection could not be added to the audit log: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #isDue(key: string): boolean {
    const now = performance.now();
    const last = this.#told.get(key);
    if (last !== undefined && now - last < everyMs) return false;
    this.#told.delete(key);
    this.#told.set(key, now);
    if (this.#told.size > maxRemembered) this.#told.delete(this.#told.keys().next().value!); // the oldest: entries are in order of insertion
    return true;
  }
}
