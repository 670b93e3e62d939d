import { Injectable, Logger } from '@nestjs/common';
import { runToEnd } from '#admission';
import type { Caller } from '#auth';
import { type Action, auditRejection, rules } from '#experiments';
import { isExperimentId } from '#model';
import { Store } from '#store';

/**
 * Minimum interval between log lines for the same person and action: attempts are visible, but
 * nobody can fill the log.
 */
const everyMs = 60_000;
const maxRemembered = 10_000;

/**
 * Records, in a workspace's audit log, the actions that a member was denied, except actions that
 * only read (scope `read`). Visitors belong to no workspace.
 */
@Injectable()
export class RejectionLog {
  readonly #log = new Logger('audit');
  readonly #store: Store;
  readonly #reported = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Never rejects: the error is returned whether or not it can be recorded. */
  async tell(caller: Caller, action: Action, experimentId: unknown): Promise<void> {
    if (caller.view || rules[action].scope === 'read' || !this.#isDue(`${caller.tenantId} ${caller.personId} ${action}`)) return;
    const experiment = typeof experimentId === 'string' && isExperimentId(experimentId) ? experimentId : null;
    try {
      // Recorded even if the caller cancels the request, so that the attempt stays visible.
      await runToEnd(() => this.#store.withTenant(caller.tenantId, (scope) => auditRejection(scope, caller, action, experiment)));
    } catch (error) {
      this.#log.warn(`a rejection could not be added to the audit log: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #isDue(key: string): boolean {
    const now = performance.now();
    const last = this.#reported.get(key);
    if (last !== undefined && now - last < everyMs) return false;
    this.#reported.delete(key);
    this.#reported.set(key, now);
    if (this.#reported.size > maxRemembered) this.#reported.delete(this.#reported.keys().next().value!); // the oldest: entries are in order of insertion
    return true;
  }
}
