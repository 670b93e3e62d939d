import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createSignInLink } from '#auth';
import { describeWith } from '#testing';
import { LoggedExperiments } from './testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from './testing/read-service.ts';

/* Reliability test 65. */

const publicUrl = 'http://plots.example';
const day = 86_400;

describeWith(['postgres'], 'a read process whose clock is a day off', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;
  beforeAll(async () => {
    service = await startReadService(publicUrl);
    logged = new LoggedExperiments(service);
    owner = await service.tenant();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  /**
   * How long the rows of a table remain valid, in seconds by the database's clock, newest first.
   */
  const left = async (table: string): Promise<number> => {
    const sql = `select extract(epoch from expires_at - now())::float8 as left from ${table} where tenant_id = $1 order by created_at desc limit 1`;
    return ((await service.sql(sql, [owner.tenantId])) as { left: number }[])[0]!.left;
  };
  /** A tolerance of a minute, for a slow machine. */
  const about = (seconds: number, wanted: number): boolean => Math.abs(seconds - wanted) < 60;

  for (const off of [day, -day])
    it(`creates tokens, links and sessions with the right expiry: ${off > 0 ? 'ahead' : 'behind'}`, async () => {
      const id = await logged.make(owner, { run: [{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }] });
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off * 1_000 });
      const make = async (path: string, body: object) => {
        const { status, json } = await service.call(owner, 'POST', `/api/v1${path}`, { body });
        expect([path, status]).toEqual([path, 201]);
        return json;
      };
      await make('/tokens', { name: 'brief', scopes: ['read'], expires_in_days: 2 });
      expect(about(await left('access_token'), 2 * day)).toBe(true);
      await make('/invitations', { role: 'viewer', expires_in_days: 2 });
      expect(about(await left('invitation'), 2 * day)).toBe(true);
      const link = await make(`/experiments/${id}/share-links`, { name: 'brief', expires_in_days: 2 });
      expect(about(await left('share_link'), 2 * day)).toBe(true);

      // Cookies last as long as the session or link behind them.
      const lasts = async (path: string): Promise<number> => {
        const { headers } = await service.raw('GET', path, { host: 'plots.example' });
        return Number(/max-age=(\d+)/i.exec(String(headers['set-cookie']))?.[1]);
      };
      expect(about(await lasts(new URL(link.url).pathname), 2 * day)).toBe(true);
      const until = new Date((await service.store.clock.now()) + 7_200_000);
      expect(about(await lasts(`/sign-in/${await createSignInLink(service.store, { ...owner, until })}`), 7_200)).toBe(true);
    });
});
