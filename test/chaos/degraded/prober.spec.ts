import { expect, it } from 'vitest';
import type { AckEntry } from '../ack-log.ts';
import { judgeAppends } from './prober.ts';
import { Report } from './report.ts';

const append = { fileId: '7', offset: 0, length: 1, sha256: '', durableOffset: null, epoch: null, at: 0, tookMs: 10 } as const;
const taken: AckEntry = { ...append, outcome: 'ok', status: 204, retryAfter: null, sentAt: 150 };
const refused: AckEntry = { ...append, outcome: 'fail', status: 503, retryAfter: '1', sentAt: 160 };
const window = { what: 'away', from: 100, to: 200, limitMs: 2_000, mustRefuse: true };

function faultsOf(appends: readonly AckEntry[], mustRefuse = true): string[] {
  const report = new Report({ say: () => undefined });
  judgeAppends(report, { ...window, mustRefuse }, appends);
  return report.faults;
}

it('holds when appends are taken, told where to go on, or refused in time with Retry-After', () => {
  expect(faultsOf([taken, refused, { ...append, outcome: 'fail', status: 409, retryAfter: null, sentAt: 170 }])).toEqual([]);
  expect(faultsOf([taken], false)).toEqual([]);
});

it.each<[string, AckEntry]>([
  ['a refusal without Retry-After', { ...refused, retryAfter: null }],
  ['a refusal that took too long', { ...refused, tookMs: 2_001 }],
  ['an append that took too long', { ...taken, tookMs: 2_001 }],
  ['another refusal', { ...refused, status: 500 }],
  ['no answer', { ...refused, outcome: 'unknown', status: 'ECONNRESET', retryAfter: null }],
])('does not hold with %s', (_what, entry) => {
  expect(faultsOf([refused, entry])).toHaveLength(1);
});

it('does not hold when nothing was refused though it must, or nothing was sent', () => {
  expect(faultsOf([taken])).toEqual(['away: no append was refused, so nothing was seen of it']);
  expect(faultsOf([{ ...refused, sentAt: 99 }], false)).toEqual(['away, appends: none was sent']);
});
