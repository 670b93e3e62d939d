import { expect, it } from 'vitest';
import type { Quota } from '#model';
import { setRateLimit } from './rate-limit.ts';

function headersOf(...told: readonly (readonly Quota[])[]): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = { setHeader: (name: string, value: string) => (headers[name] = value), getHeader: (name: string) => headers[name] };
  for (const some of told) setRateLimit(response as never, some);
  return headers;
}

it('quotas are structured field lists', () => {
  const quotas: Quota[] = [
    { policy: 'pending', quota: 1000, unit: 'content-bytes', left: 0, seconds: 3.2 },
    { policy: 'uploads', quota: 8, unit: 'concurrent-requests', left: 5, seconds: null },
  ];
  expect(headersOf(quotas)).toEqual({
    'RateLimit-Policy': '"pending";q=1000;qu="content-bytes", "uploads";q=8;qu="concurrent-requests"',
    RateLimit: '"pending";r=0;t=4, "uploads";r=5',
  });
});

it('numbers are valid integers of structured fields', () => {
  const headers = headersOf([{ policy: 'p', quota: 1e20, unit: 'requests', left: -5, seconds: 0 }]);
  expect(headers).toEqual({ 'RateLimit-Policy': '"p";q=999999999999999', RateLimit: '"p";r=0;t=0' });
});

it('a later header keeps the policies that it does not mention, and replaces those that it does', () => {
  const requests = { policy: 'requests', quota: 60, unit: 'requests', left: 9, seconds: null, windowSeconds: 60 } as const;
  const pending = { policy: 'pending', quota: 1000, unit: 'content-bytes', left: 10, seconds: null } as const;
  expect(headersOf([requests, pending], [{ ...requests, left: 0, seconds: 1 }])).toEqual({
    'RateLimit-Policy': '"pending";q=1000;qu="content-bytes", "requests";q=60;w=60',
    RateLimit: '"pending";r=10, "requests";r=0;t=1',
  });
});
