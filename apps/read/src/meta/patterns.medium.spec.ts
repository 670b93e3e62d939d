import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#model';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { hostilePatterns } from '../testing/hostile-patterns.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

/* Reliability test 52: patterns that make a backtracking engine run for ever are refused, or matched by Postgres, whose time is bounded. */

describeWith(['postgres'], 'patterns of hostile people', () => {
  let service: ReadService;
  let owner: TestTenant;
  let runs: StoredRuns;
  beforeAll(async () => {
    service = await startReadService();
    owner = await service.tenant();
    runs = await StoredRuns.start(service, owner);
    // As long as names can be, and nearly what the patterns want.
    for (const letter of ['a', 'x', 'b', 'a ']) await runs.run(`${letter.repeat(limits.maxRunNameBytes / letter.length - 2)}!`);
  });
  afterAll(() => service?.close());

  it('stop no process and no statement, fifty of them', async () => {
    expect(new Set(hostilePatterns).size).toBe(50);
    const answered = { matched: 0, refused: 0 };
    for (const pattern of hostilePatterns) {
      for (const operator of ['~', '!~']) {
        const filter = encodeURIComponent(`name ${operator} ${JSON.stringify(pattern)}`);
        const { status, json } = await service.call(owner, 'GET', `/api/v1/experiments/${runs.experimentId}/runs?filter=${filter}`);
        expect([pattern, [200, 400].includes(status), json.code]).toEqual([pattern, true, status === 200 ? undefined : json.code]);
        answered[status === 200 ? 'matched' : 'refused']++;
      }
    }
    expect(answered.matched).toBeGreaterThan(30);
  }, 120_000);
});
