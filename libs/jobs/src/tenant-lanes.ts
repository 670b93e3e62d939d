import type { IngestRun } from './ingest-run.job.ts';

/** What names a run, over all tenants. */
export function runKeyOf(job: IngestRun): string {
  return `${job.tenantId}/${job.runId}`;
}

/** Jobs that wait, each run once: one lane a tenant, tenants served in turn so that many runs of one do not hold up another. */
export class TenantLanes {
  readonly #lanes = new Map<string, Map<string, IngestRun>>();
  #size = 0;

  /** How many jobs wait, over all tenants. */
  get size(): number {
    return this.#size;
  }

  /** How many jobs of this tenant wait. */
  sizeOf(tenantId: string): number {
    return this.#lanes.get(tenantId)?.size ?? 0;
  }

  /** Puts the job at the end of its tenant's lane; one that is there already stays where it is. */
  add(job: IngestRun): void {
    let lane = this.#lanes.get(job.tenantId);
    if (!lane) this.#lanes.set(job.tenantId, (lane = new Map()));
    const key = runKeyOf(job);
    if (!lane.has(key)) this.#size++;
    lane.set(key, job);
  }

  /** The oldest job of the tenant whose turn it is; the tenant then goes to the end of the line. Null: nothing waits. */
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
