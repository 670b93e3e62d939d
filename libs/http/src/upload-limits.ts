import type { Config } from '#config';

/** Bounds of uploads that the operator sets. */
export class UploadLimits {
  /** Bytes that are acknowledged and not ingested yet, of all workspaces together. */
  readonly maxPendingBytes: number;
  readonly maxPendingBytesPerWorkspace: number;
  /** Ranges that one upload process receives at the same time. */
  readonly maxConcurrentAppends: number;
  readonly maxConcurrentAppendsPerWorkspace: number;
  /** Memory for them. */
  readonly bodyMemoryBytes: number;

  constructor(config: Config['upload']) {
    this.maxPendingBytes = config.maxPendingBytes;
    this.maxPendingBytesPerWorkspace = Math.min(config.maxPendingBytesPerTenant, config.maxPendingBytes);
    this.maxConcurrentAppends = config.maxAppends;
    this.maxConcurrentAppendsPerWorkspace = Math.min(config.maxAppendsPerTenant, config.maxAppends);
    this.bodyMemoryBytes = config.bodyMemoryBytes;
  }

  /** Those that a client can run into; with `limits` of #model they are what `/api/v1/limits` shows. */
  get told() {
    const { maxPendingBytes, maxPendingBytesPerWorkspace, maxConcurrentAppends, maxConcurrentAppendsPerWorkspace } = this;
    return { maxPendingBytes, maxPendingBytesPerWorkspace, maxConcurrentAppends, maxConcurrentAppendsPerWorkspace };
  }
}
