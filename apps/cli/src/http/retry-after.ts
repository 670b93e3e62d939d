/** A longer Retry-After is shortened to this. */
const longestRetryAfterMs = 120_000;

/**
 * RFC 9110, 10.2.3: seconds, or a date. An unreadable value counts as 0, more than two minutes as
 * two.
 */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number {
  if (value === undefined) return 0;
  const asked = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(0, asked), longestRetryAfterMs);
}
