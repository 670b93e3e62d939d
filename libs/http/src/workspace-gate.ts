import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Caller } from '#auth';
import type { Action } from '#experiments';
import { Problem } from '#model';
import { type RequestRates, requireOpen, type Terms, type WorkspaceTerms } from '#workspaces';
import { setRateLimit } from './rate-limit.ts';

/** Asked after who may do what: whether the workspace works at all, and whether it has not asked too much. One place for every handler. */
@Injectable()
export class WorkspaceGate {
  readonly #terms: WorkspaceTerms;
  readonly #rates: RequestRates;

  constructor(terms: WorkspaceTerms, rates: RequestRates) {
    this.#terms = terms;
    this.#rates = rates;
  }

  /**
   * Takes one request of the workspace's quota, and says in the answer how many are left; gives that number. Its visitors, who may be anybody, have a quota of the same size among
   * them: what is shared cannot be asked for so often that members and uploads are refused. Throws `workspace-suspended` and `rate-limited`.
   */
  async admit({ tenantId, view }: Caller, action: Action, response: Pick<ServerResponse, 'setHeader' | 'getHeader'>): Promise<number> {
    const terms = await this.#terms.of(tenantId);
    requireOpen(terms, action, view);
    const perMinute = terms.quotas.requests_per_minute;
    const { granted, left, waitMs } = await this.#rates.take(view ? `${tenantId} visitors` : tenantId, perMinute);
    const seconds = granted > 0 ? null : Math.ceil(waitMs / 1_000);
    const quota = { policy: 'requests', quota: perMinute, unit: 'requests', left, seconds, windowSeconds: 60 } as const;
    setRateLimit(response, [quota]);
    if (seconds !== null) {
      throw new Problem(
        'rate-limited',
        view
          ? `All visitors of this workspace together can send ${perMinute} requests a minute. Try again in ${seconds} s.`
          : `All people and programs of this workspace together can send ${perMinute} requests a minute. Try again in ${seconds} s.`,
        { retryAfterSeconds: seconds, quotas: [quota], extra: { quota: 'requests_per_minute', limit: perMinute } },
      );
    }
    return left;
  }

  /** For what takes long: whether the workspace still lets this be done, as of at most two seconds ago. Throws `workspace-suspended`. */
  async requireOpen({ tenantId, view }: Caller, action: Action): Promise<void> {
    requireOpen(await this.#terms.of(tenantId), action, view);
  }

  /** What the workspace may use, as of at most two seconds ago. */
  terms(tenantId: string): Promise<Terms> {
    return this.#terms.of(tenantId);
  }
}
