import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { BodyBudget } from './body-budget.ts';

/** Whether the promise is already settled. */
async function settled(promise: Promise<void>): Promise<boolean> {
  const waiting = Symbol('waiting');
  return (await Promise.race([promise, Promise.resolve().then(() => Promise.resolve(waiting))])) !== waiting;
}

const shares = (budget: BodyBudget, ...tenants: string[]) =>
  tenants.map((tenant) => budget.share(tenantIdOf(tenant))) as [BodyShareOf, ...BodyShareOf[]];
type BodyShareOf = ReturnType<BodyBudget['share']>;

describe('BodyBudget', () => {
  it('admits bodies while there is memory, and holds the next ones back until it is free again', async () => {
    const budget = new BodyBudget({ maxBytes: 100 });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((tenant) => budget.share(tenantIdOf(tenant)));
    expect(a!.take(60)).toBeNull();
    expect(b!.take(40)).toBeNull();
    const first = c!.take(10)!; // the body that may exceed the budget
    expect(await settled(first)).toBe(true);
    const second = d!.take(10)!;
    expect(await settled(second)).toBe(false);
    a![Symbol.dispose]();
    expect(await settled(second)).toBe(true);
    for (const share of [b, c, d, d]) share![Symbol.dispose]();
    expect(budget.usedBytes).toBe(0);
  });

  it('reserves a quarter for workspaces other than the one that uses most', async () => {
    const budget = new BodyBudget({ maxBytes: 100 });
    const [greedy, next, other] = shares(budget, 'greedy', 'greedy', 'other');
    expect(greedy.take(75)).toBeNull();
    expect(await settled(next!.take(1)!)).toBe(true); // the body that may exceed the budget
    expect(await settled(budget.share(tenantIdOf('greedy')).take(1)!)).toBe(false);
    expect(await settled(other!.take(20)!)).toBe(true);
  });

  it('serves the workspace first that holds the least', async () => {
    const budget = new BodyBudget({ maxBytes: 100 });
    const [max, beyond, more, none] = shares(budget, 'most', 'beyond', 'most', 'none');
    expect(max.take(70)).toBeNull();
    const blocker = budget.share(tenantIdOf('blocker'));
    expect(blocker.take(30)).toBeNull();
    await beyond!.take(5);
    const behind = more!.take(5)!;
    const first = none!.take(5)!;
    blocker[Symbol.dispose]();
    expect(await settled(first)).toBe(true);
    max[Symbol.dispose]();
    expect(await settled(behind)).toBe(true);
  });

  it('releases what was not needed', async () => {
    const budget = new BodyBudget({ maxBytes: 100 });
    const [a, b] = shares(budget, 'a', 'b');
    expect(a.take(70)).toBeNull();
    a.giveBack(60);
    expect(b!.take(70)).toBeNull();
    expect(budget.usedBytes).toBe(80);
  });

  it('completes all bodies, with at most one beyond the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(
          fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), pieces: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }) }),
          {
            maxLength: 12,
          },
        ),
        async (scheduler, bodies) => {
          const budget = new BodyBudget({ maxBytes: 50 });
          const largest = Math.max(0, ...bodies.map(({ pieces }) => pieces.reduce((a, b) => a + b, 0)));
          let done = 0;
          const run = async ({ tenant, pieces }: (typeof bodies)[number]) => {
            const share = budget.share(tenantIdOf(tenant));
            for (const bytes of pieces) {
              await scheduler.schedule(Promise.resolve());
              await share.take(bytes);
              expect(budget.usedBytes).toBeLessThanOrEqual(50 + largest);
            }
            share[Symbol.dispose]();
            done++;
          };
          const all = Promise.all(bodies.map(run));
          await scheduler.waitFor(all);
          expect(done).toBe(bodies.length);
          expect(budget.usedBytes).toBe(0);
        },
      ),
    );
  });

  it('forgets a waiting body that was aborted', async () => {
    const budget = new BodyBudget({ maxBytes: 10 });
    const [a, b, c, d] = shares(budget, 'a', 'b', 'c', 'd');
    expect(await settled(a.take(10)!)).toBe(true); // the body that may exceed the budget
    expect(b!.take(5)).toBeInstanceOf(Promise);
    const waiting = c!.take(5)!;
    const behind = d!.take(5)!;
    c![Symbol.dispose]();
    expect(await settled(waiting)).toBe(true);
    expect(await settled(behind)).toBe(false);
    b![Symbol.dispose]();
    a[Symbol.dispose]();
    expect(await settled(behind)).toBe(true);
  });

  describe('with slow bodies', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    function start() {
      const budget = new BodyBudget({ maxBytes: 1_000_000, now: () => Date.now() });
      const cut: string[] = [];
      const body = (name: TenantId) => {
        const share = budget.share(name);
        share.receiving(() => {
          cut.push(name);
          share.receiving(null);
          share[Symbol.dispose]();
        });
        return share;
      };
      return { budget, cut, body };
    }

    it('cuts the slow body that holds most, but only while others wait for its memory', async () => {
      const { cut, body } = start();
      const [large, small] = [body(tenantIdOf('large')), body(tenantIdOf('small'))];
      expect(large.take(90_000)).toBeNull();
      expect(small.take(50_000)).toBeNull();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(cut).toEqual([]);
      expect(body(tenantIdOf('full')).take(740_000)).toBeNull();
      await body(tenantIdOf('beyond')).take(740_000);
      const waiting = body(tenantIdOf('waits')).take(150_000)!;
      await vi.advanceTimersByTimeAsync(999);
      expect(cut).toEqual([]);
      await vi.advanceTimersByTimeAsync(2);
      expect(cut).toEqual(['large']);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(cut).toEqual(['large', 'small']);
      expect(await settled(waiting)).toBe(false);
    });

    it('does not consider a body slow that is complete, held back or just started', async () => {
      const { cut, body } = start();
      const [arrived, held, fresh] = [body(tenantIdOf('arrived')), body(tenantIdOf('held')), body(tenantIdOf('fresh'))];
      expect(arrived.take(600_000)).toBeNull();
      arrived.receiving(null);
      expect(held.take(400_000)).toBeNull();
      await body(tenantIdOf('beyond')).take(10);
      const holding = held.take(10)!;
      expect(fresh.take(10)).toBeInstanceOf(Promise);
      await vi.advanceTimersByTimeAsync(9_000);
      expect(cut).toEqual([]);
      expect(await settled(holding)).toBe(false);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(cut).not.toContain('arrived');
      expect(cut).not.toContain('held');
    });
  });
});
