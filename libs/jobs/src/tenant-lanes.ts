import type { TenantId } from '#model';
import type { IngestRun } from './ingest-run.job.ts';

/** The key of a run, unique across all tenants. */
export function runKeyOf(job: IngestRun): string {
  return `${job.tenantId}/${job.runId}`;
}

/**
 * Waiting jobs, at most one per run. Each tenant has a lane; lanes are served round-robin, so that
 * one tenant's many runs do not delay another tenant.
 */
export class TenantLanes {
  readonly #lanes = new Map<string, Map<string, IngestRun>>();
  #size = 0;

  /** How many jobs are waiting, across all tenants. */
  get size(): number {
    return this.#size;
  }

  /** How many jobs of this tenant are waiting. */
  sizeOf(tenantId: TenantId): number {
    return this.#lanes.get(tenantId)?.size ?? 0;
  }

  /** Appends the job to its tenant's lane. A job already in the lane keeps its position. */
  add(job: IngestRun): void {
    let lane = this.#lanes.get(job.tenantId);
    if (!lane) this.#lanes.set(job.tenantId, (lane = new Map()));
    const key = runKeyOf(job);
    if (!lane.has(key)) this.#size++;
    lane.set(key, job);
  }

  /**
   * Takes the oldest job of the next tenant, which then moves to the end of the line. Null if
   * nothing is waiting.
   */
  take(): IngestRun | null {
    for (const [tenantId, lane] of this.#lanes) {
      this.#lanes.delete(tenantId);
      for (const [key, job] of lane) {
        lane.delete(key);
        this.#size--;
        if (lane.size > 0) this.#lanes.set(tenantId, lane);
        return job;
      }
    }
    return null;
  }

  clear(): void {
    this.#lanes.clear();
    this.#size = 0;
  }
}
