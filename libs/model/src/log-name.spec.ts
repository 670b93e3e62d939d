import { expect, it } from 'vitest';
import { isLogName, rankOfLog, seesLogs } from './log-name.ts';

it('tells logs from event files by their names', () => {
  expect(isLogName('output.1795261058.gpu-1.4711.0.plotline.log')).toBe(true);
  for (const name of ['events.out.tfevents.1.plotline.log', 'train.log', 'plotline.log.gz', '']) expect(isLogName(name)).toBe(false);
});

it('reads the rank of a log from its name', () => {
  expect(rankOfLog('output.1795261058.gpu-1.4711.0.rank12.plotline.log')).toBe(12);
  expect(rankOfLog('output.1795261058.rank3.4711.0.plotline.log')).toBeNull();
});

it('shows logs to visitors whose link grants them, never to anonymous ones', () => {
  const view = { runs: null, tags: null, anonymous: false, logs: true };
  expect(seesLogs(null, 'a')).toBe(true);
  expect(seesLogs(view, 'a')).toBe(true);
  expect(seesLogs({ ...view, runs: ['b'] }, 'a')).toBe(false);
  expect(seesLogs({ ...view, runs: ['b'] })).toBe(true);
  expect(seesLogs({ ...view, tags: ['loss'] }, 'a')).toBe(true);
  expect(seesLogs({ ...view, anonymous: true }, 'a')).toBe(false);
  for (const logs of [false, undefined])
    expect(seesLogs({ runs: null, tags: null, anonymous: false, ...(logs === false && { logs }) })).toBe(false);
});
