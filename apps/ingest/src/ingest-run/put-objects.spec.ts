import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { putObjects } from './put-objects.ts';

const tenant = tenantIdOf(randomUUID());
const objects = new Map(Array.from({ length: 100 }, (_, i) => [`original/${i}-1`, Buffer.from(String(i))] as const));

/** Counts concurrent writes. Fails to write the key `failsAt`. */
class SlowStore extends MemoryBlobStore {
  underWay = 0;
  max = 0;
  failsAt: string | null = null;

  override async put(tenantId: TenantId, key: string, bytes: Uint8Array): Promise<void> {
    this.max = Math.max(this.max, ++this.underWay);
    await nextTurn();
    this.underWay--;
    if (key === this.failsAt) throw new Error('full');
    await super.put(tenantId, key, bytes);
  }
}

describe('putObjects', () => {
  it('writes all objects, several at once but not all', async () => {
    const blobs = new SlowStore();
    await putObjects(blobs, tenant, objects);
    expect(blobs.objects.size).toBe(100);
    expect(blobs.max).toBe(8);
    await putObjects(blobs, tenant, new Map());
  });

  it('starts no more writes after one fails', async () => {
    const blobs = new SlowStore();
    blobs.failsAt = 'original/50-1';
    await expect(putObjects(blobs, tenant, objects)).rejects.toThrow('full');
    await nextTurn();
    await nextTurn();
    expect(blobs.underWay).toBe(0);
    expect(blobs.objects.size).toBeLessThan(65);
  });
});
