/** Upper bound for Retry-After. */
const longestRetryAfterMs = 120_000;

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. An unreadable value counts as 0;
 * delays are capped at two minutes.
 */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number {
  if (value === undefined) return 0;
  const asked = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(0, asked), longestRetryAfterMs);
}
