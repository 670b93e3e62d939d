import { beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#config';
import { UploadLimits } from '#http';
import { Problem, type TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { Admission, minSegmentBytes } from './admission.ts';
import { AppendSlots } from './append-slots.ts';
import { PendingView } from './pending-view.ts';

const defaults = loadConfig({}).upload;
const KiB = 1024;

async function rejection(promise: Promise<unknown>): Promise<Problem | null> {
  return promise.then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );
}

describe('Admission', () => {
  /** The ledger's current pending bytes. */
  let ledger: Record<string, number>;
  let now: number;
  let looks: number;
  let failing: boolean;
  let errors: unknown[];

  beforeEach(() => {
    ledger = {};
    now = 1_000;
    looks = 0;
    failing = false;
    errors = [];
    onSleep = () => undefined;
  });

  /** Called when a range waits for admission. By default, the wait takes no time. */
  let onSleep: (ms: number) => void;

  function make(limits: Partial<typeof defaults>) {
    const pending = new PendingView({
      read: async () => {
        looks++;
        if (failing) throw new Error('down');
        return Object.entries(ledger).map(([tenantId, cost]) => ({ tenantId: tenantIdOf(tenantId), cost }));
      },
      onError: (error) => errors.push(error),
      now: () => now,
    });
    const sleep = async (ms: number): Promise<void> => onSleep(ms);
    return { pending, gate: new Admission(pending, new UploadLimits({ ...defaults, ...limits }), undefined, sleep) };
  }

  /** Ranges that are admitted and acknowledged immediately. */
  function admission(limits: Partial<typeof defaults>) {
    const { pending, gate } = make(limits);
    return {
      admit: async (tenantId: TenantId): Promise<void> => (await gate.admit(tenantId, 0))[Symbol.dispose](),
      acknowledged: (tenantId: TenantId, bytes: number): void => pending.add(tenantId, bytes),
      quota: (tenantId: TenantId) => gate.quota(tenantId),
    };
  }

  /** Lets a reading in progress finish. */
  const looked = () => new Promise((resolve) => setImmediate(resolve));

  it('queries the ledger at most once a second, not for every request', async () => {
    const gate = admission({});
    for (let i = 0; i < 50; i++) await gate.admit(tenantIdOf('a'));
    expect(looks).toBe(1);
    now += 1_100;
    for (let i = 0; i < 50; i++) await gate.admit(tenantIdOf('a'));
    expect(looks).toBe(2);
  });

  it('adds what was acknowledged here since the last query to what the ledger had then', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    ledger = { a: 60 * KiB };
    await gate.admit(tenantIdOf('a'));
    gate.acknowledged(tenantIdOf('a'), 30 * KiB);
    await gate.admit(tenantIdOf('a'));
    expect(await gate.quota(tenantIdOf('a'))).toEqual({
      policy: 'pending',
      quota: 100 * KiB,
      unit: 'content-bytes',
      left: 10 * KiB,
      seconds: null,
    });
    gate.acknowledged(tenantIdOf('a'), 10 * KiB);
    const rejected = await rejection(gate.admit(tenantIdOf('a')));
    expect(rejected).toMatchObject({ code: 'too-much-pending', retryAfterSeconds: 2 });
    expect(rejected!.quotas).toMatchObject([{ policy: 'pending', left: 0, seconds: 2 }]);
  });

  it('counts an acknowledgment that commits during the query', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    await gate.admit(tenantIdOf('a'));
    now += 1_100;
    ledger = { a: 50 * KiB };
    const looking = rejection(gate.admit(tenantIdOf('a')));
    gate.acknowledged(tenantIdOf('a'), 60 * KiB);
    await looking;
    await looked();
    expect((await rejection(gate.admit(tenantIdOf('a'))))?.code).toBe('too-much-pending');
  });

  it('admits again after a rejection, once enough was ingested', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    ledger = { a: 100 * KiB };
    expect((await rejection(gate.admit(tenantIdOf('a'))))?.code).toBe('too-much-pending');
    ledger = { a: 99 * KiB };
    now += 1_100;
    await rejection(gate.admit(tenantIdOf('a')));
    await looked();
    expect(await rejection(gate.admit(tenantIdOf('a')))).toBeNull();
  });

  it('computes Retry-After from the measured rate: 1 KiB/s, with 5 KiB and the margin to go', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    ledger = { a: 106 * KiB };
    await rejection(gate.admit(tenantIdOf('a')));
    now += 1_000;
    ledger = { a: 105 * KiB };
    await rejection(gate.admit(tenantIdOf('a')));
    await looked();
    expect((await rejection(gate.admit(tenantIdOf('a'))))?.retryAfterSeconds).toBe(10);
  });

  it('is not misled by queries between two commits of the worker', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    let asked = 0;
    for (let tenth = 0; tenth < 100; tenth++) {
      ledger = { a: 200 * KiB - Math.floor(tenth / 10) * 5 * KiB }; // 5 KiB at the start of each second
      const seconds = (await rejection(gate.admit(tenantIdOf('a'))))?.retryAfterSeconds ?? 0;
      if (tenth > 20) asked = Math.max(asked, seconds);
      now += 100;
    }
    expect(asked).toBeGreaterThanOrEqual(12);
    ledger = { a: 110 * KiB };
    now += 100;
    expect((await rejection(gate.admit(tenantIdOf('a'))))?.retryAfterSeconds).toBeLessThanOrEqual(5);
  });

  it('never asks for more than a quarter of a minute, even without progress', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    ledger = { a: 200 * KiB };
    await rejection(gate.admit(tenantIdOf('a')));
    now += 1_000;
    await rejection(gate.admit(tenantIdOf('a')));
    await looked();
    expect((await rejection(gate.admit(tenantIdOf('a'))))?.retryAfterSeconds).toBe(15);
  });

  it('rejects no one for the pending bytes of another workspace', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB, maxPendingBytes: 150 * KiB });
    ledger = { greedy: 100 * KiB };
    expect((await rejection(gate.admit(tenantIdOf('greedy'))))?.code).toBe('too-much-pending');
    expect(await rejection(gate.admit(tenantIdOf('modest')))).toBeNull();
  });

  it('over the total bound, rejects workspaces with more than an equal share', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB, maxPendingBytes: 150 * KiB });
    ledger = { large: 90 * KiB, middle: 55 * KiB, small: 10 * KiB };
    expect((await rejection(gate.admit(tenantIdOf('large'))))?.code).toBe('too-much-pending');
    expect((await rejection(gate.admit(tenantIdOf('middle'))))?.code).toBe('too-much-pending');
    expect(await rejection(gate.admit(tenantIdOf('small')))).toBeNull();
    expect(await rejection(gate.admit(tenantIdOf('new')))).toBeNull();
  });

  it('counts the minimum cost for a small segment', async () => {
    const { gate } = make({ maxPendingBytesPerTenant: 10 * minSegmentBytes });
    for (let i = 0; i < 10; i++) (await gate.admit(tenantIdOf('a'), 1)).acknowledged(1);
    expect((await rejection(gate.admit(tenantIdOf('a'), 1)))?.code).toBe('too-much-pending');
  });

  it('queries again before it rejects, at most ten times a second', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    ledger = { a: 100 * KiB };
    for (let i = 0; i < 20; i++) await rejection(gate.admit(tenantIdOf('a')));
    expect(looks).toBe(1);
    now += 100;
    ledger = { a: 99 * KiB };
    expect(await rejection(gate.admit(tenantIdOf('a')))).toBeNull();
    expect(looks).toBe(2);
  });

  it('counts bytes in flight until they are acknowledged or released', async () => {
    const { gate } = make({ maxPendingBytesPerTenant: 100 * KiB });
    const [first, second] = [await gate.admit(tenantIdOf('a'), 60 * KiB), await gate.admit(tenantIdOf('a'), 60 * KiB)];
    expect((await rejection(gate.admit(tenantIdOf('a'), 1)))?.code).toBe('too-much-pending');
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    const third = await gate.admit(tenantIdOf('a'), 30 * KiB);
    second.acknowledged(60 * KiB);
    expect((await gate.quota(tenantIdOf('a'))).left).toBe(10 * KiB);
    third.acknowledged(30 * KiB);
    expect((await gate.quota(tenantIdOf('a'))).left).toBe(10 * KiB);
  });

  it('lets a range wait for a second before it rejects it', async () => {
    const { gate } = make({ maxPendingBytesPerTenant: 100 * KiB });
    ledger = { a: 100 * KiB };
    const until = now + 700;
    onSleep = (ms) => {
      now += ms;
      if (now >= until) ledger = {};
    };
    await gate.admit(tenantIdOf('a'), 1);
    expect(now).toBe(until);
    ledger = { a: 200 * KiB };
    onSleep = (ms) => (now += ms);
    now += 10_000;
    const started = now;
    expect((await rejection(gate.admit(tenantIdOf('a'), 1)))?.code).toBe('too-much-pending');
    expect(now - started).toBe(1_000);
  });

  it('waits for a new query after an idle period', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    ledger = { a: 200 * KiB };
    expect(await rejection(gate.admit(tenantIdOf('a')))).not.toBeNull();
    ledger = {};
    now += 60_000;
    expect(await rejection(gate.admit(tenantIdOf('a')))).toBeNull();
  });

  it('uses its last known state while the database is down', async () => {
    const gate = admission({ maxPendingBytesPerTenant: 100 * KiB });
    failing = true;
    expect(await rejection(gate.admit(tenantIdOf('a')))).toBeNull();
    expect(errors).toHaveLength(1);
  });
});

describe('AppendSlots', () => {
  it('limits concurrent ranges, per workspace and in total, and frees their permits at the end', () => {
    const slots = new AppendSlots(new UploadLimits({ ...defaults, maxAppends: 3, maxAppendsPerTenant: 2 }));
    const first = slots.take(tenantIdOf('a'));
    slots.take(tenantIdOf('a'));
    expect(() => slots.take(tenantIdOf('a'))).toThrow(expect.objectContaining({ code: 'too-many-uploads' }));
    slots.take(tenantIdOf('b'));
    expect(() => slots.take(tenantIdOf('c'))).toThrow(expect.objectContaining({ code: 'too-many-uploads' }));
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    slots.take(tenantIdOf('c'));
    expect(() => slots.take(tenantIdOf('a'))).toThrow(expect.objectContaining({ code: 'too-many-uploads' }));
  });
});
