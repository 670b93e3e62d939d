import type pg from 'pg';
import { expect, it } from 'vitest';
import { becomeCaller, runForStranger } from '#admission';
import { ConnectionQueue } from './connection-queue.ts';

/** A pool's connections. The test decides when each connection opens. */
function connections(queue: ConnectionQueue) {
  const asked: { readonly make: () => void; readonly fail: (error: Error) => void }[] = [];
  const connect = (): Promise<pg.PoolClient> =>
    new Promise((resolve, reject) => {
      const client = { release: () => queue.giveBack(client) } as unknown as pg.PoolClient;
      asked.push({ make: () => resolve(client), fail: reject });
    });
  return { asked, connect };
}

it('opens at most as many connections as the limit, and serves callers in order', async () => {
  const queue = new ConnectionQueue(1);
  const { asked, connect } = connections(queue);
  const [first, second, third] = [queue.lend(connect), queue.lend(connect), queue.lend(connect)];
  expect(asked).toHaveLength(1);
  asked[0]!.make();
  (await first).release();
  expect(asked).toHaveLength(2);
  asked[1]!.make();
  (await second).release();
  asked[2]!.make();
  (await third).release();
  const fourth = queue.lend(connect);
  expect(asked).toHaveLength(4);
  asked[3]!.make();
  await fourth;
});

it('continues with the next caller when a connection fails to open', async () => {
  const queue = new ConnectionQueue(1);
  const { asked, connect } = connections(queue);
  const [first, second] = [queue.lend(connect), queue.lend(connect)];
  asked[0]!.fail(new Error('down'));
  await expect(first).rejects.toThrow('down');
  expect(asked).toHaveLength(2);
  asked[1]!.make();
  await second;
});

it('opens no connection for rejected callers', async () => {
  const queue = new ConnectionQueue(1);
  const { asked, connect } = connections(queue);
  const first = queue.lend(connect);
  const waiting = [queue.lend(connect), queue.lend(connect)];
  queue.rejectAll(new Error('down'));
  expect(await Promise.allSettled(waiting)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  asked[0]!.make();
  (await first).release();
  expect(asked).toHaveLength(1);
});

it('rejects a caller after the timeout, opens no connection for it, and reuses the one that opens too late', async () => {
  const queue = new ConnectionQueue(1);
  const { asked, connect } = connections(queue);
  const outcomes = await Promise.allSettled([queue.lend(connect), queue.lend(connect)]);
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'timeout exceeded when trying to connect' } });
  asked[0]!.make();
  const next = queue.lend(connect);
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.make();
  await next;
});

it('gives the next connection to the share that has the fewest, however many the others request', async () => {
  const queue = new ConnectionQueue(4);
  const { asked, connect } = connections(queue);
  const order: string[] = [];
  const ask = (name: string) =>
    runForStranger('10.0.0.1', async () => {
      becomeCaller(name, 'member');
      const client = await queue.lend(connect);
      order.push(name);
      return client;
    });
  const louds = Array.from({ length: 20 }, () => ask('loud'));
  expect(asked).toHaveLength(3); // the fourth is for another share
  asked.forEach(({ make }) => make());
  await louds[0];
  const quiets = [ask('quiet'), ask('quiet')];
  expect(asked).toHaveLength(4);
  asked[3]!.make();
  const second = await quiets[0]!;
  (await louds[0]!).release(); // two are left for the loud share, and one for a new share
  second.release();
  asked[4]!.make();
  await quiets[1];
  expect(order).toEqual(['loud', 'loud', 'loud', 'quiet', 'quiet']);
  const rest = Promise.allSettled(louds);
  queue.rejectAll(new Error('down'));
  await rest;
});
