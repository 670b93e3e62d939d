import { setTimeout as sleepFor } from 'node:timers/promises';
import type { UploadLimits } from '#http';
import { Problem, type Quota, type TenantId } from '#model';
import type { PendingView } from './pending-view.ts';

/**
 * Minimum number of bytes that a pending segment counts as, because of its row and its share of a
 * job and a commit. A guess.
 */
export const minSegmentBytes = 4 * 1024;

/**
 * Fraction of the limit. Rejected clients should retry when the backlog is noticeably below the
 * limit, not when it is below by one byte.
 */
const headroom = 0.05;
const shortestWaitSeconds = 1;
/** `Retry-After` in seconds, used until a rate has been measured. */
const firstWaitSeconds = 2;
/** Maximum `Retry-After`, because a measured rate can be wrong, or improve. */
const longestWaitSeconds = 15;

/**
 * How long a range waits, unread, before it is rejected. By then the backlog has often shrunk, and
 * clients that ignore Retry-After have to wait too.
 */
const maxWaitMs = 1_000;
const lookAgainMs = 100;

/**
 * Permit for one range. The range counts as pending until it is acknowledged or the permit is
 * disposed of.
 */
export interface Permit extends Disposable {
  /** Call this when the range is acknowledged. From then on, its actual bytes count. */
  acknowledged(bytes: number): void;
}

/**
 * Admits a range, or says when to retry. Two bounds, one per workspace and one in total, limit the
 * sum of the bytes that are acknowledged but not ingested and the bytes that are being received.
 * When the total is exceeded, only workspaces that use more than an equal share of it are rejected,
 * so no workspace can lock out another.
 *
 * The last admitted range can exceed a bound, and so can ranges that other processes admit within a
 * second.
 */
export class Admission {
  readonly #pending: PendingView;
  readonly #limits: UploadLimits;
  readonly #ownBound: (tenantId: TenantId) => Promise<number>;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #onTheirWay = new Map<string, number>();
  #allOnTheirWay = 0;

  /** `ownBound`: the bound of a workspace, if it differs from the default. */
  constructor(
    pending: PendingView,
    limits: UploadLimits,
    ownBound: (tenantId: TenantId) => Promise<number> = async () => limits.maxPendingBytesPerWorkspace,
    sleep: (ms: number) => Promise<void> = (ms) => sleepFor(ms),
  ) {
    this.#pending = pending;
    this.#limits = limits;
    this.#ownBound = ownBound;
    this.#sleep = sleep;
  }

  /**
   * Returns a permit for a range of this many bytes. Throws `too-much-pending` if the tenant must
   * wait.
   */
  async admit(tenantId: TenantId, bytes: number): Promise<Permit> {
    await this.#pending.refresh();
    const own = await this.#ownBound(tenantId);
    for (let waitedMs = 0; this.#of(tenantId) >= this.#quota(tenantId, own); waitedMs += lookAgainMs) {
      await this.#pending.lookAgain();
      if (this.#of(tenantId) < this.#quota(tenantId, own)) break;
      if (waitedMs >= maxWaitMs) throw this.#rejection(tenantId, own);
      await this.#sleep(lookAgainMs);
    }
    return this.#letIn(tenantId, Math.max(bytes, minSegmentBytes));
  }

  #letIn(tenantId: TenantId, cost: number): Permit {
    this.#move(tenantId, cost);
    let released = false;
    const release = (): void => {
      if (!released) this.#move(tenantId, -cost);
      released = true;
    };
    return {
      acknowledged: (bytes) => {
        this.#pending.add(tenantId, Math.max(bytes, minSegmentBytes));
        release();
      },
      [Symbol.dispose]: release,
    };
  }

  #move(tenantId: TenantId, cost: number): void {
    const own = (this.#onTheirWay.get(tenantId) ?? 0) + cost;
    if (own > 0) this.#onTheirWay.set(tenantId, own);
    else this.#onTheirWay.delete(tenantId);
    this.#allOnTheirWay += cost;
  }

  #of(tenantId: TenantId): number {
    return this.#pending.of(tenantId) + (this.#onTheirWay.get(tenantId) ?? 0);
  }

  #rejection(tenantId: TenantId, own: number): Problem {
    const quota = this.#quota(tenantId, own);
    const seconds = this.#waitSeconds(tenantId, this.#of(tenantId) - quota + headroom * quota);
    return new Problem(
      'too-much-pending',
      `${this.#pending.of(tenantId)} bytes of this workspace are still pending, so it does not accept more yet. Nothing is lost; send the range again in ${seconds} s.`,
      { retryAfterSeconds: seconds, quotas: [{ ...this.#stateOf(tenantId, quota), seconds }] },
    );
  }

  /** How many more pending bytes the tenant may have. */
  async quota(tenantId: TenantId): Promise<Quota> {
    return this.#stateOf(tenantId, this.#quota(tenantId, await this.#ownBound(tenantId)));
  }

  #stateOf(tenantId: TenantId, quota: number): Quota {
    return { policy: 'pending', quota, unit: 'content-bytes', left: quota - this.#of(tenantId), seconds: null };
  }

  #quota(tenantId: TenantId, own: number): number {
    const { maxPendingBytes } = this.#limits;
    if (this.#pending.total + this.#allOnTheirWay < maxPendingBytes) return own;
    return Math.min(own, Math.ceil(maxPendingBytes / this.#pending.tenantsWith(tenantId)));
  }

  #waitSeconds(tenantId: TenantId, bytes: number): number {
    const rate = this.#pending.rate(tenantId);
    if (rate === null) return firstWaitSeconds;
    return Math.ceil(Math.min(Math.max(bytes / rate, shortestWaitSeconds), longestWaitSeconds));
  }
}
