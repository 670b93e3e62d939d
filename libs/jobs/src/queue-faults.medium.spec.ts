import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { describeWith, type PrivateRedis, startRedis } from '#testing';
import { BullMqDispatcher, type BullMqDispatcherOptions } from './bullmq-dispatcher.ts';
import { HeldHandler, jobOf, PendingRuns } from './testing/index.ts';

/**
 * How many seconds Redis is down in the outage test. Accepts several values, as in
 * TEST_OUTAGE_SECONDS=15,60,600.
 */
const outageSeconds = (process.env.TEST_OUTAGE_SECONDS ?? '15').split(',').map(Number);

const runs = Array.from({ length: 120 }, (_, run) => jobOf((run % 4) + 1, run + 1));
const keys = (jobs: typeof runs): string[] => jobs.map((job) => `${job.tenantId}/${job.runId}`).sort();

describeWith(['redis'], 'a queue whose Redis fails', () => {
  let redis: PrivateRedis;
  let errors: unknown[];
  const cleanUp: (() => Promise<unknown> | void)[] = [];

  beforeEach(async () => {
    redis = await startRedis();
    errors = [];
  });
  afterEach(async () => {
    for (const clean of cleanUp.splice(0).toReversed()) await clean();
    await redis.stop();
  });

  function makeDispatcher(more: Partial<BullMqDispatcherOptions> = {}): BullMqDispatcher {
    const dispatcher = new BullMqDispatcher({ redis: { url: redis.url }, groupMs: 0, onError: (error) => errors.push(error), ...more });
    cleanUp.push(() => dispatcher.close());
    return dispatcher;
  }

  /** A separate connection for the test. */
  function makeClient(): Redis {
    const client = new Redis(redis.url);
    client.on('error', () => undefined); // its Redis is killed on purpose
    cleanUp.push(() => client.disconnect());
    return client;
  }

  /**
   * Resolves when this many connections are ready and each has lasted for a second, because younger
   * ones might not count. An ingest process has three: one for commands, one to claim jobs, and one
   * to wait for them.
   */
  async function connected(client: Redis, count: number): Promise<void> {
    await vi.waitFor(
      async () => {
        const connections = String(await client.client('LIST'))
          .trim()
          .split('\n');
        expect(connections).toHaveLength(count);
        // Redis counts in whole clock seconds, so the first second may be shorter.
        for (const connection of connections) expect(Number(/ age=(\d+) /.exec(connection)![1])).toBeGreaterThanOrEqual(2);
      },
      { timeout: 20_000 },
    );
  }

  /** Two processes that ingest and sweep. */
  function startTwo(pending: PendingRuns): BullMqDispatcher[] {
    return [makeDispatcher(), makeDispatcher()].map((dispatcher) => {
      dispatcher.start(pending.handle, 4);
      cleanUp.push(pending.sweep(dispatcher, 250));
      return dispatcher;
    });
  }

  const aloneOf = (dispatchers: readonly BullMqDispatcher[]): number => dispatchers.reduce((sum, { counts }) => sum + counts.alone, 0);
  const fromQueue = ({ counts }: BullMqDispatcher): number => counts.started - counts.alone;

  /**
   * Resolves when each process has run a job from the queue and has not run the latest offers
   * alone.
   */
  async function queueWorks(dispatchers: readonly BullMqDispatcher[]): Promise<void> {
    const before = dispatchers.map(fromQueue);
    let alone = NaN;
    await vi.waitFor(
      () => {
        const aloneBefore = alone;
        alone = aloneOf(dispatchers);
        for (const dispatcher of dispatchers) for (const job of runs) dispatcher.offer(job);
        for (const [n, dispatcher] of dispatchers.entries()) expect(fromQueue(dispatcher)).toBeGreaterThan(before[n]!);
        expect(alone).toBe(aloneBefore);
      },
      { timeout: 20_000, interval: 250 },
    );
  }

  it('runs every pending job once although Redis is killed and wiped 20 times meanwhile (test 5)', async () => {
    const pending = new PendingRuns(() => sleep(20));
    pending.add(...runs);
    startTwo(pending);
    for (let wipe = 1; wipe <= 20; wipe++) {
      await pending.untilDone(wipe * 5);
      await redis.wipe();
      await redis.start();
    }
    await pending.untilDone(runs.length);
    expect(pending.done.toSorted()).toEqual(keys(runs));
  });

  it.for(outageSeconds)(
    'ingests without Redis during an outage of %i s, and through the queue afterwards; offers never fail (test 60)',
    { timeout: 900_000 },
    async (seconds, { annotate }) => {
      const pending = new PendingRuns();
      pending.add(...runs.slice(0, 4));
      const dispatchers = startTwo(pending);
      await pending.untilDone(4);
      await redis.kill();
      const killedAt = performance.now();
      pending.add(...runs.slice(4, 100));
      for (const job of runs) dispatchers[0]!.offer(job);
      await pending.untilDone(100);
      await annotate(`all done ${Math.round(performance.now() - killedAt)} ms after Redis was gone`);
      expect(aloneOf(dispatchers)).toBeGreaterThan(0);
      await sleep(killedAt + seconds * 1_000 - performance.now());
      await redis.start();
      await queueWorks(dispatchers);
      const alone = aloneOf(dispatchers);
      pending.add(...runs.slice(100));
      await pending.untilDone(runs.length);
      expect(aloneOf(dispatchers)).toBe(alone);
      expect(errors.length).toBeLessThan(10); // the outage is reported, not each attempt to connect
    },
  );

  it('continues while Redis is frozen with open connections, and afterwards', { timeout: 120_000 }, async () => {
    const pending = new PendingRuns();
    pending.add(...runs.slice(0, 4));
    const dispatchers = startTwo(pending);
    await pending.untilDone(4);
    process.kill(redis.pid!, 'SIGSTOP');
    pending.add(...runs.slice(4));
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), { timeout: 60_000 }); // it was noticed
    await pending.untilDone(runs.length);
    process.kill(redis.pid!, 'SIGCONT');
    await queueWorks(dispatchers);
  });

  it('replaces connections that lead nowhere, although none was closed', { timeout: 60_000 }, async () => {
    const relays: Socket[] = [];
    const relay = createServer((near) => {
      const far = connect(Number(new URL(redis.url).port), '127.0.0.1');
      relays.push(near, far);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => undefined); // closed by the side that abandons it
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    cleanUp.push(
      () => relays.forEach((socket) => socket.destroy()),
      () => void relay.close(),
    );
    const relayed = { url: `redis://127.0.0.1:${(relay.address() as AddressInfo).port}` };
    // The progress watch must not replace workers, which would also open new connections.
    const dispatcher = makeDispatcher({ redis: relayed, stuckMs: 600_000 });
    const pending = new PendingRuns();
    dispatcher.start(pending.handle, 4);
    cleanUp.push(pending.sweep(dispatcher, 250));
    pending.add(runs[0]!);
    await pending.untilDone(1);
    for (const socket of relays) socket.unpipe().on('data', () => undefined); // read, and discarded
    pending.add(...runs.slice(1));
    await pending.untilDone(runs.length);
    await queueWorks([dispatcher]);
    expect(dispatcher.counts.replaced).toBe(0);
  });

  it('continues while the memory of the Redis server is full, and through the queue afterwards (test 61)', async () => {
    const pending = new PendingRuns();
    const dispatchers = startTwo(pending);
    pending.add(runs[0]!);
    await pending.untilDone(1);
    const client = makeClient();
    await client.config('SET', 'maxmemory', '1');
    pending.add(...runs.slice(1));
    await pending.untilDone(runs.length);
    expect(aloneOf(dispatchers)).toBeGreaterThan(50);
    for (const { counts } of dispatchers) expect(counts.lost).toBe(0);
    expect(String(errors[0])).toContain('OOM');
    await client.config('SET', 'maxmemory', '0');
    await queueWorks(dispatchers);
  });

  it('runs the queued jobs locally when the memory of the Redis server is full', async () => {
    const pending = new PendingRuns();
    pending.add(...runs);
    const offering = makeDispatcher();
    for (const job of runs) offering.offer(job);
    await vi.waitFor(() => expect(offering.counts.queued).toBe(runs.length), { timeout: 10_000 });
    const client = makeClient();
    await client.config('SET', 'maxmemory', '1');
    const dispatchers = startTwo(pending);
    await pending.untilDone(runs.length);
    expect(aloneOf(dispatchers)).toBeGreaterThanOrEqual(runs.length);
    await client.config('SET', 'maxmemory', '0');
    await vi.waitFor(async () => expect(await client.zcard('{plotline}:ingest-run:prioritized')).toBe(0), { timeout: 15_000 });
    await queueWorks(dispatchers);
  });

  it('returns unstarted local jobs to the queue when the memory of the Redis server is no longer full', async () => {
    const handler = new HeldHandler();
    const dispatcher = makeDispatcher();
    const client = makeClient();
    dispatcher.start(handler.handle, 1);
    await connected(client, 1 + 3);
    await client.config('SET', 'maxmemory', '1');
    for (const job of runs.slice(0, 10)) dispatcher.offer(job);
    await handler.untilStarted(1);
    expect(dispatcher.counts.alone).toBe(1);
    await client.config('SET', 'maxmemory', '0');
    await vi.waitFor(
      () => {
        dispatcher.offer(runs[10]!);
        expect(dispatcher.counts.queued).toBeGreaterThanOrEqual(10);
      },
      { timeout: 20_000, interval: 250 },
    );
    for (let next = 2; next <= 11; next++) {
      handler.end('idle');
      await handler.untilStarted(next);
    }
    handler.end('idle');
    await dispatcher.close();
    expect(dispatcher.counts.alone).toBe(1);
  });

  /** After Redis was down for a while, exactly one more outage is reported. */
  const expectOneError = async (before: number): Promise<void> => {
    expect(errors).toHaveLength(before);
    await redis.kill();
    await vi.waitFor(() => expect(errors).toHaveLength(before + 1), { timeout: 20_000 });
    await sleep(1_500); // a few more attempts
    expect(errors).toHaveLength(before + 1);
    await redis.start();
  };

  it('reports each outage once in a process that only ingests', async () => {
    const offering = makeDispatcher({ onError: () => undefined });
    const client = makeClient();
    const done: string[] = [];
    makeDispatcher({ downMs: 100 }).start(async (job) => {
      done.push(job.runId);
      return 'idle';
    }, 1);
    for (const [outage, job] of runs.slice(0, 2).entries()) {
      await vi.waitFor(
        () => {
          offering.offer(job);
          expect(done).toContain(job.runId);
        },
        { timeout: 20_000 },
      );
      await connected(client, 1 + 1 + 3);
      await expectOneError(outage);
    }
  });

  it('reports each outage once even if no work came in between', async () => {
    makeDispatcher({ downMs: 100 }).start(async () => 'idle', 1);
    const client = makeClient();
    for (const outage of [0, 1]) {
      await connected(client, 1 + 3);
      await expectOneError(outage);
    }
  });

  it('reports also during an outage that Redis may now evict jobs', async () => {
    const dispatcher = makeDispatcher();
    const client = makeClient();
    await client.config('SET', 'maxmemory', '1');
    dispatcher.offer(runs[0]!);
    await vi.waitFor(() => expect(errors.map(String)).toEqual([expect.stringContaining('OOM')]), { timeout: 10_000 });
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await client.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await vi.waitFor(() => expect(String(errors.at(-1))).toContain('maxmemory-policy is allkeys-lru'), { timeout: 10_000 });
    await client.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await client.config('SET', 'maxmemory', '0');
    await vi.waitFor(
      () => {
        dispatcher.offer(runs[1]!);
        expect(dispatcher.counts.queued).toBeGreaterThan(0);
      },
      { timeout: 10_000 },
    );
    expect(errors.filter((error) => String(error).includes('cannot keep the queue'))).toHaveLength(1); // not for each connection
  });

  it('prints nothing to the console about a Redis that may evict jobs: the log has it', async () => {
    const logged = vi.spyOn(console, 'warn');
    cleanUp.push(() => logged.mockRestore());
    const client = makeClient();
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    makeDispatcher().start(async () => 'idle', 1);
    await connected(client, 1 + 3); // including the worker's: BullMQ's commands were sent, too
    await vi.waitFor(() => expect(errors.map(String)).toEqual([expect.stringContaining('maxmemory-policy is allkeys-lru')]), {
      timeout: 10_000,
    });
    expect(logged.mock.calls).toEqual([]);
  });

  it('continues while Redis is read-only after a failover, and through the queue afterwards', async () => {
    const pending = new PendingRuns();
    const dispatchers = startTwo(pending);
    pending.add(runs[0]!);
    await pending.untilDone(1);
    const client = makeClient();
    await client.replicaof('127.0.0.1', '1');
    pending.add(...runs.slice(1));
    await pending.untilDone(runs.length);
    expect(aloneOf(dispatchers)).toBeGreaterThan(0);
    await client.replicaof('NO', 'ONE');
    await queueWorks(dispatchers);
    expect(errors.length).toBeLessThan(10); // it is reported, not each attempt
  });

  it('returns unstarted local jobs to the queue when Redis is back, and alternates between tenants', async () => {
    await redis.kill();
    const handler = new HeldHandler();
    const dispatcher = makeDispatcher({ downMs: 0 });
    dispatcher.start(handler.handle, 1);
    for (const job of [jobOf(1, 1), jobOf(1, 2), jobOf(1, 3), jobOf(1, 4), jobOf(2, 5)]) dispatcher.offer(job);
    for (const next of [1, 2, 3]) {
      await handler.untilStarted(next);
      if (next < 3) handler.end('idle');
    }
    expect(handler.started).toEqual([jobOf(1, 1), jobOf(1, 2), jobOf(2, 5)]);
    await redis.start();
    await vi.waitFor(() => expect(dispatcher.counts.queued).toBe(2), { timeout: 15_000 });
    for (const next of [4, 5]) {
      handler.end('idle');
      await handler.untilStarted(next);
    }
    handler.end('idle');
    await dispatcher.close();
    expect(dispatcher.counts.alone).toBe(3);
  });

  it('reaches a tenant with a single run although another has thousands more than the backlog holds', async () => {
    await redis.kill();
    const handler = new HeldHandler();
    const dispatcher = makeDispatcher({ downMs: 0, closeMs: 500 });
    dispatcher.start(handler.handle, 1);
    const sweep = (): void => {
      for (let run = 0; run < 12_000; run++) dispatcher.offer(jobOf(1, run));
      dispatcher.offer(jobOf(2, 1));
    };
    for (const next of [1, 2, 3]) {
      sweep();
      await handler.untilStarted(next);
      handler.end('idle');
    }
    await handler.untilStarted(4);
    expect(handler.started.slice(0, 3)).toContainEqual(jobOf(2, 1));
    expect(dispatcher.counts.lost).toBeGreaterThan(10_000); // the ledger has them
    const closed = dispatcher.close();
    handler.end('idle');
    await closed;
  });

  it('runs jobs that were offered once at the moment when Redis failed, without another offer', async () => {
    const pending = new PendingRuns();
    pending.add(...runs);
    await redis.kill();
    // Uses several outages of different durations, because a timer that fires a fraction of a
    // millisecond early must not be the last check.
    for (let n = 0; n < 8; n++) {
      const dispatcher = makeDispatcher({ downMs: 100.3 + n * 7.1, closeMs: 500 });
      dispatcher.start(pending.handle, 4);
      for (const job of runs.slice(n * 15, (n + 1) * 15)) dispatcher.offer(job);
    }
    await pending.untilDone(runs.length);
  });

  it('queues nothing in a Redis that crashes repeatedly until a connection has lasted', { timeout: 120_000 }, async () => {
    const pending = new PendingRuns();
    const dispatcher = makeDispatcher({ downMs: 8_000 }); // far longer than any outage below
    const client = makeClient();
    await connected(client, 1 + 1);
    await redis.wipe();
    dispatcher.start(pending.handle, 4);
    cleanUp.push(pending.sweep(dispatcher, 250));
    pending.add(runs[0]!);
    await pending.untilDone(1); // alone: Redis is down
    for (let crash = 0; crash < 4; crash++) {
      await redis.start();
      await sleep(200); // up for a short time only, between two crashes
      pending.add(...runs.slice(1 + crash * 10, 1 + (crash + 1) * 10));
      await pending.untilDone(1 + (crash + 1) * 10);
      expect(fromQueue(dispatcher)).toBe(0);
      await redis.wipe();
    }
    expect(errors).toHaveLength(1);
    await redis.start();
    await queueWorks([dispatcher]);
  });

  it('reports a read-only Redis once, however often it is used and reconnected', async () => {
    const reported = { offering: 0, ingesting: 0 };
    const offering = makeDispatcher({ onError: () => reported.offering++ });
    const ingesting = makeDispatcher({ onError: () => reported.ingesting++ });
    const pending = new PendingRuns();
    ingesting.start(pending.handle, 4);
    const client = makeClient();
    await connected(client, 1 + 1 + 3);
    await client.replicaof('127.0.0.1', '1');
    let gaps = 0;
    for (let n = 0, before = performance.now(); n < 40; n++) {
      if (performance.now() - before > 2_500) gaps++; // on a stalled machine: nothing was rejected for so long that it may have counted as healthy
      before = performance.now();
      pending.add(runs[n]!);
      for (const dispatcher of [offering, ingesting]) dispatcher.offer(runs[n]!);
      await pending.untilDone(n + 1);
      await sleep(200);
    }
    expect(offering.counts.lost).toBeGreaterThan(10);
    expect(Math.min(reported.offering, reported.ingesting)).toBeGreaterThan(0);
    expect(Math.max(reported.offering, reported.ingesting)).toBeLessThanOrEqual(1 + gaps);
  });

  it('never runs two local jobs of one run at once, runs it again for later offers, and while it has more to do', async () => {
    await redis.kill();
    const handler = new HeldHandler();
    const dispatcher = makeDispatcher({ downMs: 0, closeMs: 500 });
    dispatcher.start(handler.handle, 4);
    for (let offer = 0; offer < 3; offer++) dispatcher.offer(runs[0]!);
    await handler.untilStarted(1);
    handler.end('idle');
    await handler.untilStarted(2); // for the second and third offer
    handler.end('more');
    await handler.untilStarted(3);
    handler.end('idle');
    dispatcher.offer(runs[2]!); // would come after another job of the first run
    await handler.untilStarted(4);
    expect(handler.started.map(({ runId }) => runId)).toEqual([0, 0, 0, 2].map((run) => runs[run]!.runId));
    handler.end('idle');
    const closed = dispatcher.close();
    dispatcher.offer(runs[1]!);
    await closed;
    expect(handler.started).toHaveLength(4);
  });

  it('keeps offers for ingesting processes if it does not ingest', async () => {
    await redis.kill();
    const dispatcher = makeDispatcher({ downMs: 0 });
    for (const job of runs) dispatcher.offer(job);
    await vi.waitFor(() => expect(dispatcher.isDown).toBe(true));
    await redis.start();
    await vi.waitFor(() => expect(dispatcher.counts.queued).toBe(runs.length), { timeout: 15_000 });
    expect(dispatcher.counts).toMatchObject({ offered: runs.length, alone: 0, started: 0, lost: 0 });
  });

  it('queues a run despite remains of earlier failures, with one offer (test 18)', async () => {
    const client = makeClient();
    const queue = '{plotline}:ingest-run';
    const left = runs.slice(0, 7);
    const [inNoList, running, runningWithoutHash, done, delayed, stalledOut, locked] = left.map((job) => `${job.tenantId}/${job.runId}`);
    for (const id of [inNoList, running, done, delayed, locked])
      await client.hset(`${queue}:${id}`, { name: 'ingest-run', data: '{}', timestamp: '1' });
    await client.lpush(`${queue}:active`, running!, runningWithoutHash!);
    await client.zadd(`${queue}:completed`, 1, done!);
    await client.zadd(`${queue}:delayed`, Number.MAX_SAFE_INTEGER, delayed!);
    await client.hset(`${queue}:${stalledOut}`, {
      name: 'ingest-run',
      data: '{}',
      defa: 'job stalled more than allowable limit',
      stc: '9',
      opts: '{}',
    });
    await client.hset(`${queue}:${locked}`, { priority: '5' });
    await client.set(`${queue}:${locked}:lock`, 'a worker that is gone');
    for (const job of left) await client.set(`${queue}:de:${job.tenantId}/${job.runId}`, 'gone');
    const pending = new PendingRuns();
    pending.add(...left);
    const dispatcher = makeDispatcher();
    dispatcher.start(pending.handle, 2);
    for (const job of left) dispatcher.offer(job);
    await pending.untilDone(left.length);
  });

  it('runs a run again after BullMQ gave up its job as stalled too often (test 17)', async () => {
    const pending = new PendingRuns();
    pending.add(runs[0]!);
    const dispatcher = makeDispatcher();
    dispatcher.offer(runs[0]!);
    await vi.waitFor(() => expect(dispatcher.counts.queued).toBe(1), { timeout: 30_000 });
    const id = `${runs[0]!.tenantId}/${runs[0]!.runId}`;
    await makeClient().hset(`{plotline}:ingest-run:${id}`, { defa: 'job stalled more than allowable limit', stc: '9' });
    dispatcher.start(pending.handle, 1);
    cleanUp.push(pending.sweep(dispatcher, 250));
    await pending.untilDone(1);
  });

  it('replaces a worker that takes no jobs while some are waiting', async () => {
    const pending = new PendingRuns();
    pending.add(...runs);
    const dispatcher = makeDispatcher({ stuckMs: 400 });
    const queue = new Queue('ingest-run', { connection: makeClient(), prefix: '{plotline}' });
    await queue.pause();
    dispatcher.start(pending.handle, 2);
    for (const job of runs) dispatcher.offer(job);
    await vi.waitFor(() => expect(dispatcher.counts.replaced).toBeGreaterThan(0), { timeout: 30_000 });
    await queue.resume();
    await pending.untilDone(runs.length);
    await queue.close();
  });

  it('never exceeds its concurrency limit, even if a replaced worker still runs a job', async () => {
    const handler = new HeldHandler();
    const dispatcher = makeDispatcher({ stuckMs: 400, lockMs: 60_000 });
    const queue = new Queue('ingest-run', { connection: makeClient(), prefix: '{plotline}' });
    dispatcher.start(handler.handle, 2);
    dispatcher.offer(runs[0]!);
    await handler.untilStarted(1);
    await queue.pause();
    for (const job of runs.slice(1, 4)) dispatcher.offer(job);
    await vi.waitFor(() => expect(dispatcher.counts.replaced).toBeGreaterThan(0), { timeout: 30_000 });
    await queue.resume();
    await handler.untilStarted(2);
    await vi.waitFor(async () => expect(await queue.getActiveCount()).toBe(3), { timeout: 30_000 });
    expect(handler.started).toHaveLength(2);
    for (const next of [3, 4]) {
      handler.end('idle');
      await handler.untilStarted(next);
    }
    handler.end('idle');
    handler.end('idle');
    await dispatcher.close();
    await queue.close();
  });

  it('rejects malformed jobs, and continues', async () => {
    const queue = new Queue('ingest-run', { connection: makeClient(), prefix: '{plotline}' });
    await queue.add('ingest-run', { tenantId: 'nobody', runId: '../..' });
    const pending = new PendingRuns();
    pending.add(runs[0]!);
    const dispatcher = makeDispatcher();
    dispatcher.start(pending.handle, 1);
    dispatcher.offer(runs[0]!);
    await pending.untilDone(1);
    expect(String(errors[0])).toContain('unknown job');
    await queue.close();
  });

  it('leaves nothing in Redis when all jobs are done', async () => {
    const pending = new PendingRuns();
    pending.add(...runs);
    const dispatcher = makeDispatcher();
    dispatcher.start(pending.handle, 4);
    for (let round = 0; round < 5; round++) for (const job of runs) dispatcher.offer(job);
    await pending.untilDone(runs.length);
    await dispatcher.close();
    const left = await makeClient().keys('*');
    expect(left.filter((key) => runs.some((job) => key.includes(job.tenantId)))).toEqual([]);
    expect(left.length).toBeLessThan(15);
  });

  it('closes although Redis is down', async () => {
    const dispatcher = makeDispatcher({ closeMs: 500 });
    const handler = new HeldHandler();
    dispatcher.start(handler.handle, 1);
    dispatcher.offer(jobOf(1, 1));
    await handler.untilStarted(1);
    await redis.kill();
    const closed = dispatcher.close();
    handler.end('idle');
    await closed;
  });

  it('closes although Redis never ran', async () => {
    await redis.kill();
    const dispatcher = makeDispatcher({ closeMs: 500 });
    dispatcher.start(new HeldHandler().handle, 1);
    dispatcher.offer(jobOf(1, 1));
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), { timeout: 30_000 });
    await dispatcher.close();
  });

  /** Another process. `line` returns the first line with this prefix. */
  function startProcess(lockMs: number) {
    const child = spawn(
      process.execPath,
      ['--conditions=source', join(import.meta.dirname, 'testing/ingest-process.ts'), redis.url, 'ingest-run', String(lockMs)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const lines: string[] = [];
    let onLine = (): void => undefined;
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      onLine();
    });
    cleanUp.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const lineWith = (prefix: string): Promise<string> =>
      new Promise((resolve) => {
        onLine = () => {
          const line = lines.find((candidate) => candidate.startsWith(prefix));
          if (line !== undefined) resolve(line);
        };
        onLine();
      });
    return { child, line: lineWith };
  }

  it('gives the run of a frozen process to another one, and stays correct when the first continues (test 13)', async () => {
    const frozen = startProcess(1_000);
    const dispatcher = makeDispatcher({ lockMs: 1_000 });
    dispatcher.offer(runs[0]!);
    await frozen.line('started 1');
    frozen.child.kill('SIGSTOP');
    const pending = new PendingRuns();
    pending.add(runs[0]!);
    dispatcher.start(pending.handle, 1);
    cleanUp.push(pending.sweep(dispatcher, 250));
    await pending.untilDone(1);
    frozen.child.kill('SIGCONT');
    frozen.child.stdin.write('\n');
    await frozen.line('ended 1');
    frozen.child.kill('SIGTERM');
    expect(await frozen.line('closed')).toMatch(/lapsed [1-9]/);
    // A result that the first queue could not report does not block the run.
    pending.add(runs[0]!, runs[1]!);
    await pending.untilDone(3);
  });

  it('keeps a run with the process that works on it, however long that takes', async () => {
    const lockMs = 3_000;
    const handler = new HeldHandler();
    const first = makeDispatcher({ lockMs });
    first.start(handler.handle, 1);
    first.offer(runs[0]!);
    await handler.untilStarted(1);
    const pending = new PendingRuns();
    pending.add(runs[0]!);
    const second = makeDispatcher({ lockMs });
    second.start(pending.handle, 1);
    const stopSweeping = pending.sweep(second, 250);
    await sleep(2.5 * lockMs); // the lock is renewed twice
    stopSweeping();
    expect(second.counts.started).toBe(0);
    expect(second.counts.queued).toBeGreaterThan(5); // it was offered repeatedly
    handler.end('idle');
    await Promise.race([pending.untilDone(1), handler.untilStarted(2)]); // again, for the offers that arrived in the meantime
    if (handler.started.length > 1) handler.end('idle');
    expect(first.counts.lapsed).toBe(0);
  });

  it('gives the run of a killed process to another one', async () => {
    const killed = startProcess(1_000);
    const dispatcher = makeDispatcher({ lockMs: 1_000 });
    dispatcher.offer(runs[0]!);
    await killed.line('started 1');
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    const pending = new PendingRuns();
    pending.add(runs[0]!);
    dispatcher.start(pending.handle, 1);
    cleanUp.push(pending.sweep(dispatcher, 250));
    await pending.untilDone(1);
  });

  it('lets a process exit by itself after its job while Redis is down', async () => {
    const other = startProcess(1_000);
    makeDispatcher().offer(runs[0]!);
    await other.line('started 1');
    await redis.kill();
    other.child.kill('SIGTERM');
    const [code] = await once(other.child, 'exit');
    expect(code).toBe(0);
    await other.line('ended 1');
  });
});
