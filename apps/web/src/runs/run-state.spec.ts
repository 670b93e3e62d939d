import { expect, it } from 'vitest';
import { runState, silenceText } from './run-state.ts';

const now = 1_800_000_000_000;
const ago = (minutes: number): number => now / 1000 - minutes * 60;

it.each([
  ['success', 600, 'finished'],
  ['failure', 0, 'failed'],
  ['running', 9.9, 'running'],
  ['running', 10, 'stalled'],
  ['running', -60, 'running'], // the machine's clock is ahead
  ['unknown', 9.9, 'running'],
  ['unknown', 10, 'unknown'],
])('a run that logged %s, last %s minutes ago, is %s', (status, minutes, state) => {
  expect(runState({ status, hparams: {}, last_time: ago(minutes), state: 'unknown' }, now, 10)).toBe(state);
});

it('a run whose last time is invalid is not stalled', () => {
  for (const last_time of ['NaN', null] as const) {
    expect(runState({ status: 'running', hparams: {}, last_time, state: 'unknown' }, now, 10)).toBe('running');
    expect(runState({ status: 'unknown', hparams: {}, last_time, state: 'unknown' }, now, 10)).toBe('unknown');
  }
});

it('a run that logged hyperparameters has started', () => {
  const facts = { status: 'unknown', hparams: { lr: 0.1 }, state: 'unknown' } as const;
  expect([9, 11].map((minutes) => runState({ ...facts, last_time: ago(minutes) }, now, 10))).toEqual(['running', 'stalled']);
});

it('the setting determines how long a run may be silent', () => {
  expect(runState({ status: 'running', hparams: {}, last_time: ago(30), state: 'unknown' }, now, 60)).toBe('running');
});

it('a run whose heartbeat stopped has crashed, unless it logged its end', () => {
  const facts = { hparams: {}, last_time: ago(3), state: 'crashed' } as const;
  const states = ['running', 'unknown', 'success', 'failure'].map((status) => runState({ ...facts, status }, now, 10));
  expect(states).toEqual(['crashed', 'crashed', 'finished', 'failed']);
});

it('shows how long a run has been silent', () => {
  expect([silenceText(ago(12.5), now), silenceText(ago(150), now), silenceText(ago(4_000), now)]).toEqual(['12 min', '2 h', '2 days']);
});
