import type { Config } from '#config';

/** Upload limits that the operator sets. */
export class UploadLimits {
  /** Maximum bytes that are acknowledged but not ingested, over all workspaces. */
  readonly maxPendingBytes: number;
  readonly maxPendingBytesPerWorkspace: number;
  /** Maximum number of ranges that one upload process receives concurrently. */
  readonly maxConcurrentAppends: number;
  readonly maxConcurrentAppendsPerWorkspace: number;
  /** Memory for those ranges. */
  readonly bodyMemoryBytes: number;

  constructor(config: Config['upload']) {
    this.maxPendingBytes = config.maxPendingBytes;
    this.maxPendingBytesPerWorkspace = Math.min(config.maxPendingBytesPerTenant, config.maxPendingBytes);
    this.maxConcurrentAppends = config.maxAppends;
    this.maxConcurrentAppendsPerWorkspace = Math.min(config.maxAppendsPerTenant, config.maxAppends);
    this.bodyMemoryBytes = config.bodyMemoryBytes;
  }

  /**
   * The limits that affect clients; `/api/v1/limits` returns them, together with `limits` of
   * #model.
   */
  get told() {
    const { maxPendingBytes, maxPendingBytesPerWorkspace, maxConcurrentAppends, maxConcurrentAppendsPerWorkspace } = this;
    return { maxPendingBytes, maxPendingBytesPerWorkspace, maxConcurrentAppends, maxConcurrentAppendsPerWorkspace };
  }
}
