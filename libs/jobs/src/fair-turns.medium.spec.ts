import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { Redis } from 'ioredis';
import { describeWith, testRedisUrl } from '#testing';
import { BullMqDispatcher } from './bullmq-dispatcher.ts';
import type { IngestRun } from './ingest-run.job.ts';
import { jobOf } from './testing/index.ts';

describeWith(['redis'], 'fair queueing of tenants over several processes', () => {
  const open: { close(): Promise<unknown> }[] = [];
  const name = randomUUID();

  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
    const redis = new Redis(testRedisUrl());
    const left = await redis.keys(`{plotline}:${name}*`);
    if (left.length > 0) await redis.del(left);
    redis.disconnect();
  });

  /**
   * Makes a dispatcher that represents a process. It has its own connections, and shares only Redis
   * with the other dispatchers.
   */
  function makeProcess(): BullMqDispatcher {
    const dispatcher = new BullMqDispatcher({
      redis: { url: testRedisUrl() },
      groupMs: 0,
      onError: (error) => expect.fail(String(error)),
      name,
    });
    open.push(dispatcher);
    return dispatcher;
  }

  async function offerAll(dispatcher: BullMqDispatcher, jobs: readonly IngestRun[]): Promise<void> {
    const before = dispatcher.counts.queued;
    for (const job of jobs) dispatcher.offer(job);
    await vi.waitFor(() => expect(dispatcher.counts.queued).toBe(before + jobs.length), { timeout: 30_000 });
  }

  const runsOf = (tenant: number, count: number): IngestRun[] => Array.from({ length: count }, (_, run) => jobOf(tenant, run + 1));

  /** Starts workers that only record each job's tenant, in one combined order. */
  function startNoting(processes: number): { order: string[]; untilCount(count: number): Promise<void> } {
    const order: string[] = [];
    for (let i = 0; i < processes; i++) {
      makeProcess().start(async (job) => {
        order.push(job.tenantId);
        return 'idle';
      }, 1);
    }
    return { order, untilCount: (count) => vi.waitFor(() => expect(order.length).toBeGreaterThanOrEqual(count), { timeout: 50_000 }) };
  }

  it('serves the single run of one tenant at once although another queued a thousand before it', async () => {
    await offerAll(makeProcess(), runsOf(1, 1_000));
    await offerAll(makeProcess(), [jobOf(2, 1)]);
    const { order, untilCount } = startNoting(2);
    await untilCount(10);
    // The order is checked only from the second job on, because two workers may record their claims
    // in a different order.
    expect(order.slice(0, 3)).toContain(jobOf(2, 1).tenantId);
  });

  it('gives two busy tenants the same share, however long their queues are', async () => {
    await offerAll(makeProcess(), runsOf(1, 1_000));
    await offerAll(makeProcess(), runsOf(2, 200));
    const { order, untilCount } = startNoting(3);
    await untilCount(1_200);
    const first = order.slice(0, 400);
    const share = first.filter((tenant) => tenant === jobOf(2, 1).tenantId).length;
    expect(share).toBeGreaterThanOrEqual(190); // approximate, because three workers record the order slightly differently from Redis
  });

  it('serves a tenant with a long queue while another tenant has a steady trickle of jobs', async () => {
    const producer = makeProcess();
    await offerAll(producer, runsOf(1, 100));
    const order: number[] = [];
    const steady = makeProcess();
    let run = 0;
    for (; run < 3; run++) steady.offer(jobOf(2, run));
    makeProcess().start(async (job) => {
      order.push(job.tenantId === jobOf(1, 1).tenantId ? 1 : 2);
      if (order.length < 150) steady.offer(jobOf(2, run++)); // so the second tenant always has work
      return 'idle';
    }, 1);
    await vi.waitFor(() => expect(order.length).toBeGreaterThanOrEqual(150), { timeout: 30_000 });
    expect(order.slice(0, 150).filter((tenant) => tenant === 1).length).toBeGreaterThanOrEqual(60);
  });

  it('does not move a tenant back because its runs are offered repeatedly', async () => {
    const producer = makeProcess();
    await offerAll(producer, runsOf(1, 20));
    for (let sweep = 0; sweep < 20; sweep++) await offerAll(producer, runsOf(1, 20));
    await offerAll(producer, runsOf(2, 40));
    await offerAll(producer, [jobOf(1, 99)]);
    const { order, untilCount } = startNoting(1);
    await untilCount(61);
    expect(order.slice(0, 45).filter((tenant) => tenant === jobOf(1, 1).tenantId)).toHaveLength(21);
  });

  it('stays fair when the priorities have grown large', async () => {
    const producer = makeProcess();
    await offerAll(producer, runsOf(1, 10));
    const redis = new Redis(testRedisUrl());
    const far = 2 ** 20;
    for (const id of await redis.zrange(`{plotline}:${name}:prioritized`, 0, -1)) {
      await redis.zincrby(`{plotline}:${name}:prioritized`, far * 2 ** 32, id);
    }
    await redis.zincrby(`{plotline}:${name}-turns`, far, jobOf(1, 1).tenantId);
    await offerAll(producer, runsOf(2, 2));
    await offerAll(producer, [jobOf(1, 11)]);
    const scores = await redis.zrange(`{plotline}:${name}:prioritized`, 0, -1, 'WITHSCORES');
    expect(Number(scores.at(-1))).toBeLessThan(20 * 2 ** 32);
    redis.disconnect();
    const { order, untilCount } = startNoting(1);
    await untilCount(13);
    expect(order.slice(0, 4).filter((tenant) => tenant === jobOf(2, 1).tenantId)).toHaveLength(2);
  });
});
