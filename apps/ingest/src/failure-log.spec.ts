import { beforeEach, describe, expect, it } from 'vitest';
import { FailureLog } from './failure-log.ts';

const denial = (table: string): Error => Object.assign(new Error(`permission denied for table ${table}`), { code: '42501' });

describe('FailureLog', () => {
  let lines: string[];
  let log: FailureLog;
  beforeEach(() => {
    lines = [];
    log = new FailureLog({ warn: (line) => lines.push(`warn ${line}`), error: (line) => lines.push(`error ${line}`) });
  });

  it('says each failure', () => {
    log.tell('the ledger could not be swept', new Error('x'), String);
    log.tell('the ledger could not be swept', new Error('x'), String);
    expect(lines).toEqual(['warn the ledger could not be swept: Error: x', 'warn the ledger could not be swept: Error: x']);
  });

  it('says once what the database does not permit, whichever work fails for it, and wherever in the error it stands', () => {
    log.tell('run 1 could not be ingested', denial('tensor'), String);
    log.tell('run 1 could not be ingested', denial('tensor'), String);
    log.tell('run 2 could not be ingested', new Error('failed', { cause: denial('tensor') }), String);
    log.tell('run 2 could not be ingested', new AggregateError([new Error('x'), denial('tensor')]), String);
    log.tell('run 2 could not be ingested', denial('blob'), String);
    expect(lines).toEqual([
      expect.stringMatching(/^error run 1 could not be ingested: permission denied for table tensor\. .*npm run migrate/),
      expect.stringMatching(/^error run 2 could not be ingested: permission denied for table blob\./),
    ]);
  });
});
