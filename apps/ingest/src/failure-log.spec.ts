import { beforeEach, describe, expect, it } from 'vitest';
import { FailureLog } from './failure-log.ts';

const denial = (table: string): Error => Object.assign(new Error(`permission denied for table ${table}`), { code: '42501' });

describe('FailureLog', () => {
  let lines: string[];
  let now: number;
  let log: FailureLog;
  beforeEach(() => {
    lines = [];
    now = 0;
    log = new FailureLog({ warn: (line) => lines.push(`warn ${line}`), error: (line) => lines.push(`error ${line}`) }, () => now);
  });

  it('logs each failure', () => {
    log.tell('the ledger could not be swept', new Error('x'), String);
    log.tell('the ledger could not be swept', new Error('x'), String);
    expect(lines).toEqual(['warn the ledger could not be swept: Error: x', 'warn the ledger could not be swept: Error: x']);
  });

  it('logs a missing permission once, whichever job fails and wherever in the error it is', () => {
    log.tell('run 1 could not be ingested', denial('tensor'), String);
    log.tell('run 1 could not be ingested', denial('tensor'), String);
    log.tell('run 2 could not be ingested', new Error('failed', { cause: denial('tensor') }), String);
    log.tell('run 2 could not be ingested', new AggregateError([new Error('x'), denial('tensor')]), String);
    log.tell('run 2 could not be ingested', denial('blob'), String);
    expect(lines).toEqual([
      expect.stringMatching(/^error run 1 could not be ingested: permission denied for table tensor\. .*PlotlineIngestFailures/),
      expect.stringMatching(/^error run 2 could not be ingested: permission denied for table blob\./),
    ]);
  });

  it('logs again after an hour what is still not permitted', () => {
    const tell = (): void => log.tell('run 1 could not be ingested', denial('tensor'), String);
    tell();
    now += 3_599_999;
    tell();
    expect(lines).toHaveLength(1);
    now += 1;
    tell();
    expect(lines).toHaveLength(2);
    tell();
    expect(lines).toHaveLength(2);
  });

  it('does not suggest a grant when a row violates a policy', () => {
    const against = Object.assign(new Error('new row violates row-level security policy for table "tensor"'), { code: '42501' });
    log.tell('run 1 could not be ingested', against, String);
    log.tell('run 1 could not be ingested', against, String);
    expect(lines).toEqual([
      expect.stringMatching(/^error run 1 .*row-level security policy for table "tensor"\. No table grant is missing/),
    ]);
    expect(lines[0]).not.toContain('PlotlineIngestFailures');
  });
});
