import { beforeEach, describe, expect, it } from 'vitest';
import { largestQuota, Problem, type Quotas } from '#model';
import { tenantIdOf } from '#model/testing';
import type { Usage } from '#store';
import { minPointBytes, QuotaAdmission } from './quota-admission.ts';
import { UsageView } from './usage-view.ts';

const unbounded: Quotas = {
  points: largestQuota,
  bytes: largestQuota,
  experiments: largestQuota,
  series: largestQuota,
  files: largestQuota,
  pending_bytes: largestQuota,
  requests_per_minute: largestQuota,
};
const nothing: Usage = {
  points: 0,
  series: 0,
  experiments: 0,
  files: 0,
  originalBytes: 0,
  valueBytes: 0,
  exportBytes: 0,
  deletingBytes: 0,
  pendingBytes: 0,
};

async function rejection(promise: Promise<unknown>): Promise<Problem | null> {
  return promise.then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );
}

describe('QuotaAdmission', () => {
  /** The usage of the workspace, according to the rows. */
  let rows: { -readonly [P in keyof Usage]: number };
  let quotas: Quotas;
  let now: number;
  let looks: number;
  let onSleep: () => void;

  beforeEach(() => {
    rows = { ...nothing };
    quotas = unbounded;
    now = 0;
    looks = 0;
    onSleep = () => undefined;
  });

  /** The admission of one process. */
  function process(): QuotaAdmission {
    const read = async (): Promise<Usage> => {
      looks++;
      return { ...rows };
    };
    return new QuotaAdmission(
      new UsageView({ read, now: () => now }),
      async () => quotas,
      async (ms) => {
        now += ms;
        onSleep();
      },
    );
  }

  /** Simulates one range, from its arrival to its commit. */
  async function send(gate: QuotaAdmission, bytes: number): Promise<void> {
    const permit = await gate.admit(tenantIdOf('a'), bytes);
    try {
      await permit.arrived(bytes);
      rows.originalBytes += bytes;
      rows.pendingBytes += bytes;
      permit.stored();
    } finally {
      permit[Symbol.dispose]();
    }
  }

  it('queries once a second far from the bounds, not for each range', async () => {
    const gate = process();
    for (let i = 0; i < 100; i++) await send(gate, 1_000);
    expect(looks).toBe(1);
  });

  it('admits ranges up to the last byte, and rejects the next one with quota, limit and use', async () => {
    quotas = { ...unbounded, bytes: 1_000 };
    const gate = process();
    for (let i = 0; i < 10; i++) await send(gate, 100);
    const rejected = await rejection(send(gate, 1));
    expect(rejected).toMatchObject({ code: 'quota-exceeded', extra: { quota: 'bytes', limit: 1_000, used: 1_000 } });
    expect(rows.originalBytes).toBe(1_000);
    rows.originalBytes -= 100; // something was deleted
    expect(await rejection(send(gate, 100))).toBeNull();
  });

  it('never exceeds the bytes by concurrent ranges of one process', async () => {
    quotas = { ...unbounded, bytes: 1_000 };
    const gate = process();
    const results = await Promise.all(Array.from({ length: 40 }, () => rejection(send(gate, 150))));
    expect(rows.originalBytes).toBe(900);
    expect(results.filter((result) => result === null)).toHaveLength(6);
    for (const problem of results) if (problem) expect(['quota-exceeded', 'too-much-pending']).toContain(problem.code);
  });

  it('exceeds the bytes by at most the ranges in flight of several processes', async () => {
    quotas = { ...unbounded, bytes: 10_000 };
    const processes = [process(), process(), process()];
    const connections = processes.flatMap((gate) => [gate, gate]);
    await Promise.all(
      connections.map(async (gate) => {
        for (let i = 0; i < 50; i++) {
          const rejected = await rejection(send(gate, 137));
          if (rejected?.code === 'quota-exceeded') return;
        }
      }),
    );
    expect(rows.originalBytes).toBeLessThanOrEqual(10_000 + connections.length * 137);
    expect(rows.originalBytes).toBeGreaterThan(10_000 - connections.length * 137);
  });

  it('rejects a range that is larger than announced before it is stored', async () => {
    quotas = { ...unbounded, bytes: 1_000 };
    const gate = process();
    const permit = await gate.admit(tenantIdOf('a'), 10);
    expect(await rejection(permit.arrived(1_001))).toMatchObject({ code: 'quota-exceeded' });
    permit[Symbol.dispose]();
    expect(await rejection(send(gate, 1_000))).toBeNull();
  });

  it('rejects an admitted range if the quota was lowered while it arrived', async () => {
    quotas = { ...unbounded, bytes: 1_000 };
    const gate = process();
    const [bytes, points] = [await gate.admit(tenantIdOf('a'), 10), await gate.admit(tenantIdOf('a'), 10)];
    quotas = { ...unbounded, bytes: 5 };
    expect(await rejection(bytes.arrived(10))).toMatchObject({ code: 'quota-exceeded', extra: { quota: 'bytes', limit: 5 } });
    rows.points = 7;
    quotas = { ...unbounded, points: 7 };
    expect(await rejection(points.arrived(10))).toMatchObject({ code: 'quota-exceeded', extra: { quota: 'points', limit: 7 } });
  });

  it('releases what was not stored', async () => {
    quotas = { ...unbounded, bytes: 1_000 };
    const gate = process();
    for (let i = 0; i < 20; i++) (await gate.admit(tenantIdOf('a'), 900))[Symbol.dispose]();
    expect(await rejection(send(gate, 1_000))).toBeNull();
  });

  it('rejects for points only once they are ingested, and until then waits for pending ones that could fill the rest', async () => {
    quotas = { ...unbounded, points: 1_000 };
    rows.points = 900;
    rows.pendingBytes = 100 * minPointBytes;
    const gate = process();
    expect(await rejection(send(gate, 10))).toMatchObject({ code: 'too-much-pending', retryAfterSeconds: 2 });
    onSleep = () => {
      rows.points += Math.floor(rows.pendingBytes / 80); // it was ingested; real files are not that dense
      rows.pendingBytes = 0;
    };
    now += 5_000;
    expect(await rejection(send(gate, 10))).toBeNull();
    rows.points = 1_000;
    rows.pendingBytes = 0;
    expect(await rejection(send(gate, 10))).toMatchObject({
      code: 'quota-exceeded',
      extra: { quota: 'points', limit: 1_000, used: 1_000 },
    });
  });

  it('admits a range of any density while nothing is pending: points exceed their quota by at most one range per connection', async () => {
    quotas = { ...unbounded, points: 1_000 };
    rows.points = 999;
    const gate = process();
    const first = await gate.admit(tenantIdOf('a'), 1_000_000);
    expect((await rejection(gate.admit(tenantIdOf('a'), 1)))?.code).toBe('too-much-pending');
    first[Symbol.dispose]();
    expect(await rejection(gate.admit(tenantIdOf('a'), 1))).toBeNull();
  });

  it('treats series in the same way, only in the last tenth of their quota', async () => {
    quotas = { ...unbounded, series: 1_000 };
    rows.pendingBytes = 1_000_000;
    rows.series = 800;
    expect(await rejection(process().admit(tenantIdOf('a'), 10))).toBeNull();
    rows.series = 950;
    expect((await rejection(process().admit(tenantIdOf('a'), 10)))?.code).toBe('too-much-pending');
    rows.series = 1_001;
    expect(await rejection(process().admit(tenantIdOf('a'), 10))).toMatchObject({ extra: { quota: 'series', used: 1_001 } });
  });

  it('rejects everything for a quota of 0, and does not overflow at the largest quota', async () => {
    quotas = { ...unbounded, bytes: 0 };
    expect(await rejection(process().admit(tenantIdOf('a'), 1))).toMatchObject({ code: 'quota-exceeded', extra: { limit: 0, used: 0 } });
    quotas = unbounded;
    rows.originalBytes = largestQuota - 5;
    const gate = process();
    expect(await rejection(send(gate, 5))).toBeNull();
    expect((await rejection(send(gate, 1)))?.code).toBe('quota-exceeded');
  });

  it('reports what is left', async () => {
    quotas = { ...unbounded, bytes: 1_000 };
    const gate = process();
    await send(gate, 300);
    expect(await gate.quota(tenantIdOf('a'))).toEqual({ policy: 'stored', quota: 1_000, unit: 'content-bytes', left: 700, seconds: null });
  });
});
