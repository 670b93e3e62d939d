import { Problem, type QuotaName, quotaWarningShare, type Quotas, type StoredQuota, storedQuotas } from '#model';
import type { Usage } from '#store';

/** `warning`: from four fifths on. `exceeded`: nothing more is taken. */
export type QuotaState = 'ok' | 'warning' | 'exceeded';

/** A quota of a workspace and what is used of it. */
export interface QuotaUse {
  readonly name: QuotaName;
  readonly used: number;
  readonly limit: number;
  readonly state: QuotaState;
}

/** What counts against each quota that is filled up. */
export function usedOf(usage: Usage): Readonly<Record<StoredQuota, number>> {
  const { points, series, experiments, files, originalBytes, valueBytes, deletingBytes } = usage;
  return { points, series, experiments, files, bytes: originalBytes + valueBytes + deletingBytes };
}

/** All quotas of a workspace with their use, in the order in which they are shown. `requests`: of the last minute. */
export function reportUsage(usage: Usage, quotas: Quotas, requests: number): QuotaUse[] {
  const used: Readonly<Record<QuotaName, number>> = { ...usedOf(usage), pending_bytes: usage.pendingBytes, requests_per_minute: requests };
  return (Object.keys(quotas) as QuotaName[]).map((name) => ({
    name,
    used: used[name],
    limit: quotas[name],
    state: stateOf(used[name], quotas[name]),
  }));
}

/** The quotas that are filled up, of those that only deletion or the operator make room in, and nearly so. */
export function nearlyUsed(usage: Usage, quotas: Quotas): QuotaUse[] {
  const used = usedOf(usage);
  return storedQuotas
    .map((name) => ({ name, used: used[name], limit: quotas[name], state: stateOf(used[name], quotas[name]) }))
    .filter(({ state }) => state !== 'ok');
}

/** How a quota is called in sentences. */
export const quotaTitles: Readonly<Record<QuotaName, string>> = {
  points: 'points',
  bytes: 'bytes stored',
  experiments: 'experiments',
  series: 'series',
  files: 'event files',
  pending_bytes: 'bytes waiting to be read',
  requests_per_minute: 'requests a minute',
};

/** The refusal of what a quota has no room for; it says which, how much there may be, and how much there is. */
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
