import type { ServerResponse } from 'node:http';
import type { Quota } from '#model';

/**
 * Sets the limit and the remainder in `RateLimit-Policy` and `RateLimit`, lists of structured
 * fields (draft-ietf-httpapi-ratelimit-headers-11, 3 and 4). A quota without a window recovers as
 * the service processes work, not with time. Keeps the values of other policies; for the same
 * policy, the last call wins.
 */
export function setRateLimit(response: Pick<ServerResponse, 'setHeader' | 'getHeader'>, quotas: readonly Quota[]): void {
  const names = new Set(quotas.map(({ policy }) => `"${policy}"`));
  const add = (header: string, items: readonly string[]): void => {
    const before = response.getHeader(header);
    const kept = typeof before === 'string' ? before.split(', ').filter((item) => !names.has(item.split(';')[0]!)) : [];
    response.setHeader(header, [...kept, ...items].join(', '));
  };
  add('RateLimit-Policy', quotas.map(policyItem));
  add('RateLimit', quotas.map(limitItem));
}

function policyItem({ policy, quota, unit, windowSeconds }: Quota): string {
  // "requests" is the default unit.
  return `"${policy}";q=${whole(quota)}${unit === 'requests' ? '' : `;qu="${unit}"`}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`;
}

function limitItem({ policy, left, seconds }: Quota): string {
  return `"${policy}";r=${whole(left)}${seconds === null ? '' : `;t=${whole(seconds)}`}`;
}

/**
 * Integers in structured fields are non-negative here and have at most 15 digits (RFC 9651, 3.3.1).
 */
function whole(value: number): number {
  return Math.min(Math.max(Math.ceil(value), 0), 999_999_999_999_999);
}
