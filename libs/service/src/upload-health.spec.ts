import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '#model';
import { UploadHealth } from './upload-health.ts';

const assertWritable = vi.fn<() => Promise<void>>();

describe('UploadHealth', () => {
  beforeEach(() => {
    assertWritable.mockReset().mockResolvedValue();
  });

  it('asks the backends once for concurrent callers', async () => {
    const has = vi.fn<() => Promise<null>>(async () => null);
    const health = new UploadHealth(assertWritable, { has });
    expect(await Promise.all([health.whyNotReady(), health.whyNotReady()])).toEqual([null, null]);
    expect([has.mock.calls.length, assertWritable.mock.calls.length]).toEqual([1, 1]);
  });

  it('reports which backend is down', async () => {
    const uploadHealth = new UploadHealth(assertWritable, {
      has: () => Promise.reject(new Problem('store-unavailable', 'The object store is not available.')),
    });
    expect(await uploadHealth.whyNotReady()).toBe('The object store is not available.');
    const readOnly = new Problem('store-unavailable', 'The database takes no writes.');
    assertWritable.mockRejectedValue(readOnly);
    await expect(new UploadHealth(assertWritable, { has: async () => null }).whyNotReady()).rejects.toBe(readOnly);
  });

  it('does not wait for an object store that does not answer', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const silent = new UploadHealth(assertWritable, { has: () => new Promise(() => undefined) });
      await expect(silent.whyNotReady()).resolves.toMatch(/does not answer/);
    } finally {
      vi.useRealTimers();
    }
  });
});
