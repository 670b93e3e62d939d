import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runForStranger } from '#admission';
import type { WorkspaceGate } from '#http';
import { Problem, type TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { OpenStreams } from './open-streams.ts';

/** Workspaces that the operator closes; counts the queries for each. */
class Gate {
  readonly closed = new Set<TenantId>();
  readonly asked: TenantId[] = [];

  requireOpen({ tenantId }: { readonly tenantId: TenantId }): Promise<void> {
    this.asked.push(tenantId);
    return this.closed.has(tenantId) ? Promise.reject(new Problem('workspace-suspended', 'Closed.')) : Promise.resolve();
  }
}

interface Opened {
  beats: number;
  checks: number;
  ended: boolean;
  /** An error simulates a database that does not respond. */
  allowed: boolean | Error;
}

describe('open event streams', () => {
  const [first, second] = [tenantIdOf(randomUUID()), tenantIdOf(randomUUID())];
  let gate: Gate;
  let streams: OpenStreams;

  beforeEach(() => {
    vi.useFakeTimers();
    gate = new Gate();
    streams = new OpenStreams(gate as unknown as WorkspaceGate);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const open = (tenantId: TenantId): Opened => {
    const opened: Opened = { beats: 0, checks: 0, ended: false, allowed: true };
    const end = (): void => {
      opened.ended = true;
      remove();
    };
    const isAllowed = async (): Promise<boolean> => {
      opened.checks++;
      if (opened.allowed instanceof Error) throw opened.allowed;
      return opened.allowed;
    };
    const beat = (): void => void opened.beats++;
    const remove = runForStranger('192.0.2.1', () => streams.add({ caller: { tenantId, view: null }, beat, isAllowed, end }));
    return opened;
  };
  const pass = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(seconds * 1_000);

  it('get a heartbeat at least every 16 seconds, at different times', async () => {
    const opened = Array.from({ length: 100 }, () => open(first));
    const max: number[] = [];
    const lastAt = opened.map(() => 0);
    let longest = 0;
    for (let passed = 1; passed <= 160; passed++) {
      const before = opened.map(({ beats }) => beats);
      await pass(1);
      const beating = opened.flatMap(({ beats }, i) => (beats > before[i]! ? [i] : []));
      for (const i of beating) lastAt[i] = passed;
      longest = Math.max(longest, ...lastAt.map((at) => passed - at));
      max.push(beating.length);
    }
    expect(longest).toBeLessThanOrEqual(16);
    expect(Math.max(...opened.map(({ beats }) => beats))).toBeLessThanOrEqual(11);
    expect(Math.max(...max)).toBeLessThan(40);
    expect(opened.some(({ ended }) => ended)).toBe(false);
  });

  it('cost one check of each workspace per round, however many they are', async () => {
    for (let i = 0; i < 50; i++) for (const tenantId of [first, second]) open(tenantId);
    await pass(10);
    expect(gate.asked.length).toBe(20);
    expect(gate.asked.filter((tenantId) => tenantId === first).length).toBe(10);
  });

  it('end within two seconds when their workspace is closed, and only they', async () => {
    const [mine, other] = [[open(first), open(first)], open(second)];
    await pass(3);
    expect([...mine, other].some(({ ended }) => ended)).toBe(false);
    gate.closed.add(first);
    await pass(2);
    expect([...mine.map(({ ended }) => ended), other.ended]).toEqual([true, true, false]);
    expect(streams.count).toBe(1);
  });

  it('check their credential once a minute, and end if it is revoked or cannot be checked', async () => {
    const [kept, revoked, unknown] = [open(first), open(first), open(first)];
    await pass(64);
    expect(kept.ended).toBe(false);
    const before = kept.checks;
    expect(before).toBeGreaterThanOrEqual(1);
    revoked.allowed = false;
    unknown.allowed = new Error('the database does not answer');
    await pass(64);
    expect([kept.ended, revoked.ended, unknown.ended]).toEqual([false, true, true]);
    expect(kept.checks - before).toBeGreaterThanOrEqual(1);
    expect(kept.checks).toBeLessThanOrEqual(3); // in 128 s
  });

  it('end when the service stops, even if they open during the stop', async () => {
    const before = open(first);
    streams.onModuleDestroy();
    expect(before.ended).toBe(true);
    const after = open(second);
    await pass(0);
    expect([after.ended, streams.count, vi.getTimerCount()]).toEqual([true, 0, 0]);
  });

  it('leave no timer behind', async () => {
    const opened = open(first);
    expect(vi.getTimerCount()).toBe(1);
    gate.closed.add(first);
    await pass(2);
    expect([opened.ended, streams.count, vi.getTimerCount()]).toEqual([true, 0, 0]);
    open(first);
    expect(vi.getTimerCount()).toBe(1);
  });
});
