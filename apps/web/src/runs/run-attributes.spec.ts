import { describe, expect, it } from 'vitest';
import { listedRun } from '../api/testing/listed.ts';
import { attributeNames, attributesOf, needsSeries, runsMeeting } from './run-attributes.ts';
import { shownRuns } from './shown-runs.ts';

const run = (name: string, hparams: Record<string, string | number> = {}, status = 'success') =>
  listedRun(name, { status, hparams, labels: name === 'b' ? ['best', 'best of all'] : [], archived: name === 'plain' });
const last = (name: string, tag: string, value: number | null) => ({ run: name, tag, last: value, min: value, max: value, points: 1 });

const runs = [run('a', { lr: 0.1 }), run('a/val'), run('b', { lr: 0.01 }, 'failure'), run('plain')];
const series = [last('a/val', 'acc', 0.9), last('b', 'loss', 2), last('plain', 'loss', 1), last('plain', 'none', null)];
const view = { runFilter: '', onlyRuns: null, hiddenRuns: [], where: [], archived: false, stalledAfter: 10 };
const clock = { now: 1_000_000, stalledAfter: 10 };
const meeting = (...conditions: [string, string][]) => [...runsMeeting(new Map(conditions), runs, series, clock)];

describe('runs are selected by', () => {
  it('labels: by a part of a label, or by a whole label', () => {
    expect(meeting(['label', 'BEST'])).toEqual(['b']);
    expect(meeting(['label', '= best'])).toEqual(['b']);
    expect(meeting(['label', '= of all'])).toEqual([]);
    expect(meeting(['label', '='])).toHaveLength(4);
  });

  it('whether they are archived', () => {
    expect(shownRuns(view, runs).listed).toEqual(['a', 'a/val', 'b']);
    expect(shownRuns({ ...view, archived: true }, runs).shown).toContain('plain');
  });

  it('hyperparameters, together with their nested runs', () => {
    expect(meeting(['h:lr', '> 0.05'])).toEqual(['a', 'a/val']);
    expect(meeting(['h:lr', '> 0'])).toEqual(['a', 'a/val', 'b']);
  });

  it('last values, of the trial or their own', () => {
    expect(meeting(['m:val/acc', '> 0.5'])).toEqual(['a', 'a/val']);
    expect(meeting(['m:loss', '< 3'])).toEqual(['b', 'plain']);
    expect(meeting(['m:loss', '< 3'], ['h:lr', '< 1'])).toEqual(['b']);
  });

  it('smallest and largest values; steps of these are left to the runs table', () => {
    const wide = [{ ...last('b', 'loss', 2), min: 1, max: 5 }, last('plain', 'loss', 1)];
    const met = (key: string, text: string) => [...runsMeeting(new Map([[key, text]]), runs, wide, clock)];
    expect(met('max:loss', '> 4')).toEqual(['b']);
    expect(met('min:loss', '1')).toEqual(['b', 'plain']);
    expect(met('max_step:loss', '> 4')).toHaveLength(4);
    expect(needsSeries(new Map([['max:loss', '> 4']]))).toBe(true);
  });

  it('their state, as displayed or as logged', () => {
    expect(meeting(['status', 'failed'])).toEqual(['b']);
    expect(meeting(['status', 'failure'])).toEqual(['b']);
    expect(meeting(['status', 'finished'])).toEqual(['a', 'a/val', 'plain']);
    const silent = runsMeeting(new Map([['status', 'stalled']]), [run('quiet', { lr: 1 }, 'unknown')], [], clock);
    expect([...silent]).toEqual(['quiet']);
  });

  it('nothing while last values are unknown', () => {
    expect([...runsMeeting(new Map([['m:loss', '< 3']]), runs, undefined, clock)]).toEqual(['a', 'a/val', 'b', 'plain']);
    expect([needsSeries(new Map([['m:loss', '']])), needsSeries(new Map([['h:m:x', '']]))]).toEqual([true, false]);
  });

  it('attributes that any of them has', () => {
    expect(attributeNames(attributesOf(runs, series)).map(({ key, name }) => `${key} ${name}`)).toEqual([
      'status status',
      'h:lr lr',
      'm:val/acc val/acc',
      'm:loss loss',
    ]);
  });
});
