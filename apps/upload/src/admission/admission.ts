import type { UploadLimits } from '#http';
import { Problem, type Quota } from '#model';
import type { PendingView } from './pending-view.ts';

/** A pending segment counts as this many bytes at least: its row, its place in a job and its part of a commit cost that much. A guess. */
export const leastSegmentBytes = 4 * 1024;

/** Refused clients are asked back when the backlog is a little below the bound, not one byte. */
const room = 0.05;
const shortestWaitSeconds = 1;
/** Before anything was measured. */
const firstWaitSeconds = 2;
/** A measured rate can be wrong, or become better: nobody is sent away for longer. */
const longestWaitSeconds = 15;

/**
 * Lets a range in, or says when to come back. Two bounds hold for bytes that are acknowledged and not ingested yet: one for a workspace, one
 * for all. When all together are over theirs, only those are refused that have more than an equal share of it, so that nobody is kept out by the others.
 *
 * Bytes on their way are not counted; they are bounded by the ranges that are received at the same time. So a bound may be overrun by those, and
 * by what other processes acknowledge within a second.
 */
export class Admission {
  readonly #pending: PendingView;
  readonly #limits: UploadLimits;

  constructor(pending: PendingView, limits: UploadLimits) {
    this.#pending = pending;
    this.#limits = limits;
  }

  /** Throws `too-much-pending` when the tenant is to wait. */
  async admit(tenantId: string): Promise<void> {
    await this.#pending.refresh();
    if (this.#pending.of(tenantId) < this.#quota(tenantId)) return;
    await this.#pending.lookAgain();
    const quota = this.#quota(tenantId);
    const over = this.#pending.of(tenantId) - quota;
    if (over < 0) return;
    const seconds = this.#waitSeconds(tenantId, over + room * quota);
    throw new Problem(
      'too-much-pending',
      `The service has yet to read ${this.#pending.of(tenantId)} bytes that this workspace has uploaded, and takes no more until then. Nothing is lost; send the range again in ${seconds} s.`,
      { retryAfterSeconds: seconds, quotas: [{ ...this.#told(tenantId, quota), seconds }] },
    );
  }

  /** Notes an acknowledged range of so many bytes. */
  acknowledged(tenantId: string, bytes: number): void {
    this.#pending.add(tenantId, Math.max(bytes, leastSegmentBytes));
  }

  /** What the tenant may still have pending. */
  quota(tenantId: string): Quota {
    return this.#told(tenantId, this.#quota(tenantId));
  }

  #told(tenantId: string, quota: number): Quota {
    return { policy: 'pending', quota, unit: 'content-bytes', left: quota - this.#pending.of(tenantId), seconds: null };
  }

  #quota(tenantId: string): number {
    const { maxPendingBytes, maxPendingBytesPerWorkspace } = this.#limits;
    if (this.#pending.total < maxPendingBytes) return maxPendingBytesPerWorkspace;
    return Math.min(maxPendingBytesPerWorkspace, Math.ceil(maxPendingBytes / this.#pending.tenantsWith(tenantId)));
  }

  #waitSeconds(tenantId: string, bytes: number): number {
    const rate = this.#pending.rate(tenantId);
    if (rate === null) return firstWaitSeconds;
    return Math.ceil(Math.min(Math.max(bytes / rate, shortestWaitSeconds), longestWaitSeconds));
  }
}
