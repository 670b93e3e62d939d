import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { type Client, ClientGone } from './client.ts';
import { becomeCaller, currentClient, endWithClient, runForStranger, runToEnd } from './current-share.ts';
import { pauseIfLong } from './event-loop.ts';
import { FairQueue } from './fair-queue.ts';
import { memberShare } from './share.ts';

/** A client that disconnects when the test requests it. */
class TestClient implements Client {
  readonly #events = new EventEmitter();
  isGone = false;

  get listeners(): number {
    return this.#events.listenerCount('gone');
  }

  onGone(listener: () => void): () => void {
    this.#events.once('gone', listener);
    return () => this.#events.off('gone', listener);
  }

  disconnect(): void {
    this.isGone = true;
    this.#events.emit('gone');
  }
}

const share = memberShare('ann');

function asReader<T>(client: Client, work: () => T): T {
  const read = (): T => {
    becomeCaller('ann', 'member');
    endWithClient();
    return work();
  };
  return runForStranger('192.0.2.1', read, client);
}

it('drops a waiting request when its client disconnects, and serves the next one', async () => {
  const queue = new FairQueue('test', 1);
  const held = await queue.take(share, 1);
  const client = new TestClient();
  const waiting = asReader(client, () => queue.take(share, 1));
  const next = queue.take(share, 1);
  client.disconnect();
  await expect(waiting).rejects.toBeInstanceOf(ClientGone);
  await expect(asReader(client, () => queue.take(share, 1))).rejects.toBeInstanceOf(ClientGone);
  held.release();
  (await next).release();
  expect(queue.taken).toBe(0);
});

it('listens to the client only while something waits in a queue', async () => {
  const queue = new FairQueue('test', 1);
  const client = new TestClient();
  const held = await asReader(client, () => queue.take(share, 1));
  expect(client.listeners).toBe(0);
  const waiting = asReader(client, () => queue.take(share, 1));
  expect(client.listeners).toBe(1);
  held.release();
  (await waiting).release();
  expect(client.listeners).toBe(0);
});

it('finishes changes, and reads that other clients share', async () => {
  const queue = new FairQueue('test', 1);
  const held = await queue.take(share, 1);
  const client = new TestClient();
  const change = runForStranger('192.0.2.1', () => queue.take(share, 1), client);
  const shared = asReader(client, () => runToEnd(() => queue.take(share, 1)));
  client.disconnect();
  held.release();
  (await change).release();
  (await shared).release();
  expect(asReader(client, () => runToEnd(currentClient))).toBeNull();
});

it('aborts long computations of a disconnected client', async () => {
  const client = new TestClient();
  const computation = asReader(client, async () => {
    for (;;) await pauseIfLong();
  });
  setImmediate(() => client.disconnect());
  await expect(computation).rejects.toBeInstanceOf(ClientGone);
});
