import { Problem, type QuotaName, quotaWarningShare, type Quotas, type StoredQuota, storedQuotas } from '#model';
import type { Usage } from '#store';

/** `warning`: at least 80 % is used. `exceeded`: nothing more is accepted. */
export type QuotaState = 'ok' | 'warning' | 'exceeded';

/** A quota of a workspace and its usage. */
export interface QuotaUse {
  readonly name: QuotaName;
  readonly used: number;
  readonly limit: number;
  readonly state: QuotaState;
}

/** The usage for each stored quota. */
export function usedOf(usage: Usage): Readonly<Record<StoredQuota, number>> {
  const { points, series, experiments, files, originalBytes, valueBytes, exportBytes, deletingBytes } = usage;
  return { points, series, experiments, files, bytes: originalBytes + valueBytes + exportBytes + deletingBytes };
}

/**
 * All quotas of a workspace with their usage, in display order. `requests` is the number of
 * requests in the last minute.
 */
export function reportUsage(usage: Usage, quotas: Quotas, requests: number): QuotaUse[] {
  const used: Readonly<Record<QuotaName, number>> = { ...usedOf(usage), pending_bytes: usage.pendingBytes, requests_per_minute: requests };
  return (Object.keys(quotas) as QuotaName[]).map((name) => ({
    name,
    used: used[name],
    limit: quotas[name],
    state: stateOf(used[name], quotas[name]),
  }));
}

/** The nearly or fully used quotas that only a deletion or the operator can free. */
export function nearlyUsed(usage: Usage, quotas: Quotas): QuotaUse[] {
  const used = usedOf(usage);
  return storedQuotas
    .map((name) => ({ name, used: used[name], limit: quotas[name], state: stateOf(used[name], quotas[name]) }))
    .filter(({ state }) => state !== 'ok');
}

/** The name of a quota for use in sentences. */
export const quotaTitles: Readonly<Record<QuotaName, string>> = {
  points: 'points',
  bytes: 'bytes stored',
  experiments: 'experiments',
  series: 'series',
  files: 'event files',
  pending_bytes: 'bytes waiting to be read',
  requests_per_minute: 'requests a minute',
};

/** The error for an exceeded quota: names it, its limit, and its usage. */
export function quotaExceeded(quota: StoredQuota, limit: number, used: number): Problem {
  return new Problem(
    'quota-exceeded',
    `This workspace uses ${used} of ${limit} ${quotaTitles[quota]}, so this does not fit. Acknowledged data is kept. Delete what you no longer need, or ask the operator for a larger quota.`,
    { extra: { quota, limit, used } },
  );
}

function stateOf(used: number, limit: number): QuotaState {
  if (used >= limit) return 'exceeded';
  return used >= limit * quotaWarningShare ? 'warning' : 'ok';
}
