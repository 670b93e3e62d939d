import type { ServerResponse } from 'node:http';
import type { Quota } from '#model';

/**
 * Says what is allowed and what is left of it: `RateLimit-Policy` and `RateLimit`, lists of structured fields
 * (draft-ietf-httpapi-ratelimit-headers-11, 3 and 4). Without a window: these quotas come back as the server works them off, not with the clock.
 */
export function setRateLimit(response: Pick<ServerResponse, 'setHeader'>, quotas: readonly Quota[]): void {
  response.setHeader('RateLimit-Policy', quotas.map(policyItem).join(', '));
  response.setHeader('RateLimit', quotas.map(limitItem).join(', '));
}

function policyItem({ policy, quota, unit }: Quota): string {
  // "requests" is the unit that an item without one has.
  return `"${policy}";q=${whole(quota)}${unit === 'requests' ? '' : `;qu="${unit}"`}`;
}

function limitItem({ policy, left, seconds }: Quota): string {
  return `"${policy}";r=${whole(left)}${seconds === null ? '' : `;t=${whole(seconds)}`}`;
}

/** Integers of structured fields are non-negative here and have at most 15 digits (RFC 9651, 3.3.1). */
function whole(value: number): number {
  return Math.min(Math.max(Math.ceil(value), 0), 999_999_999_999_999);
}
