import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Caller } from '#auth';
import type { Action } from '#experiments';
import { Problem, type TenantId } from '#model';
import { type RequestRates, requireOpen, type Terms, type WorkspaceTerms } from '#workspaces';
import { setRateLimit } from './rate-limit.ts';

/**
 * Checks, after permissions, whether the workspace is active and within its rate limit. Every
 * handler uses it.
 */
@Injectable()
export class WorkspaceGate {
  readonly #terms: WorkspaceTerms;
  readonly #rates: RequestRates;

  constructor(terms: WorkspaceTerms, rates: RequestRates) {
    this.#terms = terms;
    this.#rates = rates;
  }

  /**
   * Counts one request against the workspace's quota, sets the remainder in the response, and
   * returns it. Visitors can be anyone, so they share a separate quota of the same size: requests
   * for shared content cannot use up the quota of members and uploads. Throws `workspace-suspended`
   * and `rate-limited`.
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

  /**
   * For long requests: whether the workspace still permits the action, by terms at most two seconds
   * old. Throws `workspace-suspended`.
   */
  async requireOpen({ tenantId, view }: Pick<Caller, 'tenantId' | 'view'>, action: Action): Promise<void> {
    requireOpen(await this.#terms.of(tenantId), action, view);
  }

  /** The workspace's quotas, at most two seconds old. */
  terms(tenantId: TenantId): Promise<Terms> {
    return this.#terms.of(tenantId);
  }
}
