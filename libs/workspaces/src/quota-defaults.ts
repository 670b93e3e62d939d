import type { Config } from '#config';
import type { Quotas } from '#model';

/** The quotas of a workspace that has none of its own: the service's settings. */
export class QuotaDefaults {
  readonly quotas: Quotas;

  constructor(quota: Config['quota'], upload: Pick<Config['upload'], 'maxPendingBytes' | 'maxPendingBytesPerTenant'>) {
    this.quotas = {
      points: quota.points,
      bytes: quota.bytes,
      experiments: quota.experiments,
      series: quota.series,
      files: quota.files,
      pending_bytes: Math.min(upload.maxPendingBytesPerTenant, upload.maxPendingBytes),
      requests_per_minute: quota.requestsPerMinute,
    };
  }
}
