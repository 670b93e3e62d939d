import { expect, it } from 'vitest';
import type { Quota } from '#model';
import { setRateLimit } from './rate-limit.ts';

function headersOf(quotas: readonly Quota[]): Record<string, string> {
  const headers: Record<string, string> = {};
  setRateLimit({ setHeader: (name: string, value: string) => (headers[name] = value) } as never, quotas);
  return headers;
}

it('quotas are told as lists of structured fields', () => {
  const quotas: Quota[] = [
    { policy: 'pending', quota: 1000, unit: 'content-bytes', left: 0, seconds: 3.2 },
    { policy: 'uploads', quota: 8, unit: 'concurrent-requests', left: 5, seconds: null },
  ];
  expect(headersOf(quotas)).toEqual({
    'RateLimit-Policy': '"pending";q=1000;qu="content-bytes", "uploads";q=8;qu="concurrent-requests"',
    RateLimit: '"pending";r=0;t=4, "uploads";r=5',
  });
});

it('numbers stay integers that a structured field can hold', () => {
  const headers = headersOf([{ policy: 'p', quota: 1e20, unit: 'requests', left: -5, seconds: 0 }]);
  expect(headers).toEqual({ 'RateLimit-Policy': '"p";q=999999999999999', RateLimit: '"p";r=0;t=0' });
});
