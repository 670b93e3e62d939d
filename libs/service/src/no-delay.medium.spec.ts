import { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { assertQueueRedis } from '#jobs';
import { tenantIdOf } from '#model/testing';
import { Store } from '#store';
import { createTestDatabase, describeWith, testRedisUrl } from '#testing';

/** Local ports whose connections send each write immediately (TCP_NODELAY) while `work` runs. */
async function promptPorts(work: () => Promise<void>): Promise<number[]> {
  const prompt = new Set<number>();
  const original = Socket.prototype.setNoDelay;
  const spy = vi.spyOn(Socket.prototype, 'setNoDelay').mockImplementation(function (this: Socket, noDelay?: boolean) {
    const note = (): void => {
      if (noDelay !== false) prompt.add(this.remotePort ?? 0);
    };
    if (this.remotePort === undefined) this.once('connect', note);
    else note();
    return original.call(this, noDelay);
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return [...prompt];
}

const portOf = (url: string): number => Number(new URL(url).port || 5432);

afterEach(() => vi.restoreAllMocks());

describeWith(['postgres', 'redis'], "connections disable Nagle's algorithm", () => {
  it('to Postgres, for queries and for notifications', async () => {
    const database = await createTestDatabase();
    const store = new Store(database);
    const ports = await promptPorts(async () => {
      await store.withTenant(tenantIdOf('00000000-0000-4000-8000-000000000001'), () => Promise.resolve());
      await (
        await store.listen('nothing', () => undefined)
      )();
    });
    expect(ports).toContain(portOf(database.appUrl));
    await store.close();
    await database.drop();
  });

  it('to Redis', async () => {
    const url = testRedisUrl();
    expect(
      await promptPorts(() =>
        assertQueueRedis({ url }).then(
          () => undefined,
          () => undefined,
        ),
      ),
    ).toContain(Number(new URL(url).port || 6379));
  });
});
