import { describe, expect, it } from 'vitest';
import type { PendingTotals, Store } from '#store';
import { PendingWatch } from './pending-watch.ts';

/** A fake ledger: when each pending segment was received, on a clock that the test advances. */
class Ledger {
  now = 1_000_000;
  received: number[] = [];
  due = true;
  down = false;

  readonly read = async (receivedBefore: Date): Promise<PendingTotals> => {
    if (this.down) throw new Error('down');
    return {
      segments: this.received.length,
      bytes: this.received.length,
      oldestMs: this.received.length > 0 && this.due ? this.now - Math.min(...this.received) : null,
      earlier: this.received.filter((at) => at < receivedBefore.getTime()).length,
      at: new Date(this.now),
    };
  };
}

function watchOf(ledger: Ledger): PendingWatch {
  const none = {} as Store; // only `read` would use it
  return new PendingWatch(none, { everyMs: 5_000, onError: () => undefined, now: () => ledger.now, read: ledger.read });
}

describe('PendingWatch', () => {
  it('measures how long nothing was done while there was work', async () => {
    const ledger = new Ledger();
    const watch = watchOf(ledger);
    await watch.look();
    expect(watch.stalledMs).toBe(0);
    ledger.received = [ledger.now];
    for (let look = 0; look < 4; look++) {
      ledger.now += 5_000;
      await watch.look();
    }
    expect(watch.stalledMs).toBe(20_000);
    ledger.received = [];
    await watch.look();
    expect(watch.stalledMs).toBe(0);
  });

  it('distinguishes a steady stream from a stalled one', async () => {
    const ledger = new Ledger();
    const watch = watchOf(ledger);
    for (let look = 0; look < 10; look++) {
      ledger.received = [ledger.now - 60_000, ledger.now - 1, ledger.now];
      await watch.look();
      ledger.now += 5_000;
    }
    expect(watch.stalledMs).toBe(5_000);
    ledger.received = [ledger.received[0]!, ...ledger.received];
    for (let look = 0; look < 10; look++) {
      await watch.look();
      ledger.received.push(ledger.now);
      ledger.now += 5_000;
    }
    expect(watch.stalledMs).toBeGreaterThan(45_000);
  });

  it('does not count segments that back off, or the time while the ledger was down', async () => {
    const ledger = new Ledger();
    const watch = watchOf(ledger);
    ledger.received = [ledger.now];
    await watch.look();
    ledger.due = false;
    ledger.now += 60_000;
    await watch.look();
    expect(watch.stalledMs).toBe(0);
    ledger.due = true;
    ledger.now += 60_000;
    ledger.down = true;
    await watch.look();
    expect([watch.latest, watch.stalledMs]).toEqual([null, 0]);
    ledger.down = false;
    await watch.look();
    expect(watch.stalledMs).toBe(0);
  });
});
