import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#model';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { hostilePatterns } from '../testing/hostile-patterns.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

/*
 * Reliability test 52: patterns that make a backtracking engine run forever are rejected, or
 * matched by Postgres with a time limit.
 */

describeWith(['postgres'], 'hostile patterns', () => {
  let service: ReadService;
  let owner: TestTenant;
  let runs: StoredRuns;
  beforeAll(async () => {
    service = await startReadService();
    owner = await service.tenant();
    runs = await StoredRuns.start(service, owner);
    // Names of maximum length that nearly match the patterns.
    for (const letter of ['a', 'x', 'b', 'a ']) await runs.run(`${letter.repeat(limits.maxRunNameBytes / letter.length - 2)}!`);
  });
  afterAll(() => service?.close());

  it('stop no process and no statement, fifty of them', async () => {
    expect(new Set(hostilePatterns).size).toBe(50);
    const responded = { matched: 0, rejected: 0 };
    for (const pattern of hostilePatterns) {
      for (const operator of ['~', '!~']) {
        const filter = encodeURIComponent(`name ${operator} ${JSON.stringify(pattern)}`);
        const { status, json } = await service.call(owner, 'GET', `/api/v1/experiments/${runs.experimentId}/runs?filter=${filter}`);
        expect([pattern, [200, 400].includes(status), json.code]).toEqual([pattern, true, status === 200 ? undefined : json.code]);
        responded[status === 200 ? 'matched' : 'rejected']++;
      }
    }
    expect(responded.matched).toBeGreaterThan(30);
  }, 120_000);

  it('that expand to large ones are rejected before Postgres sees them', async () => {
    for (const pattern of [
      '(a?b?){255}c',
      '(a*b*){50}c',
      '(.?){190}c',
      '(.?){255}(.?){255}c',
      '((.?){31}(a?){31}b){31}',
      '.*a.{255}b.{255}c',
      'a{255}b{255}'.repeat(16),
    ]) {
      const filter = encodeURIComponent(`name ~ ${JSON.stringify(pattern)}`);
      const { status, json } = await service.call(owner, 'GET', `/api/v1/experiments/${runs.experimentId}/runs?filter=${filter}`);
      expect([pattern, status, json.code]).toEqual([pattern, 400, 'invalid-filter']);
    }
  });

  it('and filters without patterns are limited to two seconds, also while they wait', async () => {
    const held = new pg.Client({ connectionString: service.database.adminUrl });
    await held.connect();
    try {
      await held.query('begin');
      await held.query('lock table run_state in access exclusive mode');
      const { status, json } = await service.call(owner, 'GET', `/api/v1/experiments/${runs.experimentId}/runs?filter=status%3Drunning`);
      expect([status, json.code]).toEqual([400, 'invalid-filter']);
    } finally {
      await held.end();
    }
    expect((await service.call(owner, 'GET', `/api/v1/experiments/${runs.experimentId}/runs?filter=status%3Drunning`)).status).toBe(200);
  });
});
