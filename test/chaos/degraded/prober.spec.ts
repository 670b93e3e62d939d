import { expect, it } from 'vitest';
import type { AckEntry } from '../ack-log.ts';
import { checkAppends, type MustReject, type Sample } from './prober.ts';
import { Report } from './report.ts';

const append = { fileId: '7', offset: 0, length: 1, sha256: '', durableOffset: null, epoch: null, at: 0, tookMs: 10 } as const;
const taken: AckEntry = { ...append, outcome: 'ok', status: 204, retryAfter: null, sentAt: 150 };
const rejected: AckEntry = { ...append, outcome: 'fail', status: 503, retryAfter: '1', sentAt: 160 };
const window = { what: 'down', from: 100, to: 200, limitMs: 2_000 };

function faultsOf(appends: readonly AckEntry[], mustReject: MustReject = 'an append', questions: readonly Sample[] = []): string[] {
  const report = new Report({ say: () => undefined });
  checkAppends(report, { ...window, mustReject }, appends, questions);
  return report.faults;
}

it('passes if appends are accepted, redirected to an offset, or rejected in time with Retry-After', () => {
  expect(faultsOf([taken, rejected, { ...append, outcome: 'fail', status: 409, retryAfter: null, sentAt: 170 }])).toEqual([]);
  expect(faultsOf([taken], 'nothing')).toEqual([]);
});

it.each<[string, AckEntry]>([
  ['a refusal without Retry-After', { ...rejected, retryAfter: null }],
  ['a refusal that took too long', { ...rejected, tookMs: 2_001 }],
  ['an append that took too long', { ...taken, tookMs: 2_001 }],
  ['another refusal', { ...rejected, status: 500 }],
  ['no answer', { ...rejected, outcome: 'unknown', status: 'ECONNRESET', retryAfter: null }],
])('fails with %s', (_what, entry) => {
  expect(faultsOf([rejected, entry])).toHaveLength(1);
});

it('fails if nothing was rejected although it must be, or nothing was sent', () => {
  expect(faultsOf([taken])).toEqual(['down: an append should have been refused, and none was']);
  expect(faultsOf([{ ...rejected, sentAt: 99 }], 'nothing')).toEqual(['down, appends: none was sent']);
});

it('needs only one rejected request if only some connections fail', () => {
  const question = { path: '/', at: 150, tookMs: 10, status: 200, retryAfter: null };
  expect(faultsOf([taken], 'a request', [question])).toEqual(['down: a request should have been refused, and none was']);
  expect(faultsOf([taken], 'a request', [question, { ...question, status: 503, retryAfter: '1' }])).toEqual([]);
});
