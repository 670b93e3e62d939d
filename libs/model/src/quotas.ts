/** What a workspace may use of the service. Points, bytes, experiments, series and files are what it keeps; the others are how fast it may go. */
export const quotaNames = ['points', 'bytes', 'experiments', 'series', 'files', 'pending_bytes', 'requests_per_minute'] as const;

/** One of {@link quotaNames}. */
export type QuotaName = (typeof quotaNames)[number];

/** A bound for each quota. */
export type Quotas = Readonly<Record<QuotaName, number>>;

/** The quotas that are filled up and given back by deletion. */
export const storedQuotas = ['points', 'bytes', 'experiments', 'series', 'files'] as const satisfies readonly QuotaName[];

/** One of {@link storedQuotas}. */
export type StoredQuota = (typeof storedQuotas)[number];

/** Every bound is at most this: sums stay exact in float64, and fit a structured field (RFC 9651, 3.3.1). */
export const largestQuota = 999_999_999_999_999;

/** From this part of a quota on people are warned. */
export const quotaWarningShare = 0.8;
