/**
 * Limits on a workspace's use of the service. Points, bytes, experiments, series and files limit
 * what it stores; the others are rates.
 */
export const quotaNames = ['points', 'bytes', 'experiments', 'series', 'files', 'pending_bytes', 'requests_per_minute'] as const;

/** One of {@link quotaNames}. */
export type QuotaName = (typeof quotaNames)[number];

/** A limit for each quota. */
export type Quotas = Readonly<Record<QuotaName, number>>;

/** The quotas that fill up and that deletion frees. */
export const storedQuotas = ['points', 'bytes', 'experiments', 'series', 'files'] as const satisfies readonly QuotaName[];

/** One of {@link storedQuotas}. */
export type StoredQuota = (typeof storedQuotas)[number];

/**
 * The maximum of every limit: sums stay exact in float64 and fit in a structured field (RFC 9651,
 * 3.3.1).
 */
export const largestQuota = 999_999_999_999_999;

/** Usage above this fraction of a quota causes a warning. */
export const quotaWarningShare = 0.8;
