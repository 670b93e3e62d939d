import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyBudget } from './body-budget.ts';

/** True when the promise is settled by what has happened so far. */
async function settled(promise: Promise<void>): Promise<boolean> {
  const waiting = Symbol('waiting');
  return (await Promise.race([promise, Promise.resolve().then(() => Promise.resolve(waiting))])) !== waiting;
}

describe('BodyBudget', () => {
  it('lets a body take what there is room for, and holds the next ones back until there is again', async () => {
    const budget = new BodyBudget(100);
    const [a, b, c, d] = [budget.share(), budget.share(), budget.share(), budget.share()];
    expect(a.take(60)).toBeNull();
    expect(b.take(40)).toBeNull();
    const first = c.take(10)!; // the one that may go beyond
    expect(await settled(first)).toBe(true);
    const second = d.take(10)!;
    expect(await settled(second)).toBe(false);
    a.release();
    expect(await settled(second)).toBe(true);
    for (const share of [b, c, d, d]) share.release();
    expect(budget.usedBytes).toBe(0);
  });

  it('brings all bodies to their end, one beyond the budget at most', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }), { maxLength: 12 }),
        async (scheduler, bodies) => {
          const budget = new BodyBudget(50);
          const largest = Math.max(0, ...bodies.map((pieces) => pieces.reduce((a, b) => a + b, 0)));
          let done = 0;
          const run = async (pieces: number[]) => {
            const share = budget.share();
            for (const bytes of pieces) {
              await scheduler.schedule(Promise.resolve());
              await share.take(bytes);
              expect(budget.usedBytes).toBeLessThanOrEqual(50 + largest);
            }
            share.release();
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

  it('forgets a body that is given up while it waits', async () => {
    const budget = new BodyBudget(10);
    const [a, b, c, d] = [budget.share(), budget.share(), budget.share(), budget.share()];
    expect(a.take(10)).toBeNull();
    await b.take(5);
    const waiting = c.take(5)!;
    const behind = d.take(5)!;
    c.release();
    expect(await settled(waiting)).toBe(true);
    expect(await settled(behind)).toBe(false);
    b.release();
    expect(await settled(behind)).toBe(true);
  });
});
