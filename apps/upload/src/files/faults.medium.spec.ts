import { randomBytes } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeBlock } from '#columns';
import { Problem } from '#model';
import { describeWith, writeEventFile } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';

describeWith(['postgres'], 'uploading during failures', () => {
  let service: UploadService;
  let client: UploadClient;

  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
  });
  afterAll(() => service?.stop());

  it('loses and duplicates nothing when the service fails before or after any commit and clients simply retry', async () => {
    const fault = fc.constantFrom('none', 'none', 'before', 'after', 'rollback', 'disk') as fc.Arbitrary<Fault>;
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fault),
        fc.array(fc.integer({ min: 1, max: 80_000 }), { minLength: 1, maxLength: 10 }),
        fc.boolean(),
        async (faults, lengths, columns) => {
          const { fileId } = await client.newFile();
          const total = lengths.reduce((a, b) => a + b, 0);
          const bytes = columns ? scalarLog(total) : randomBytes(total);
          let highest = 0;
          const restore = inject(() => faults.next().value);
          try {
            let offset = 0;
            await Promise.all(
              lengths.map(async (length) => {
                const start = offset;
                offset += length;
                for (let tries = 0; ; tries++) {
                  expect(tries).toBeLessThan(200);
                  const known = highest;
                  const part = bytes.subarray(start, start + length);
                  const block = columns ? await encodeBlock(part, crc32c(part)) : null;
                  const coding = block ? { 'content-encoding': 'plotline-columns' } : {};
                  const { status, headers } = await client.append(fileId, start, block ?? part, coding);
                  if (status === 503 || status === 507) continue;
                  expect(status).toBe(204);
                  expect(Number(headers['upload-offset'])).toBeGreaterThanOrEqual(known);
                  highest = Math.max(highest, Number(headers['upload-offset']));
                  return;
                }
              }),
            );
          } finally {
            restore();
          }
          expect((await client.position(fileId)).headers['upload-offset']).toBe(String(bytes.length));
          expect((await client.stored(fileId)).equals(bytes)).toBe(true);
          expect((await client.complete(fileId, bytes)).status).toBe(200);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('responds 503 with Retry-After while Postgres is down, and recovers by itself', async () => {
    const { fileId } = await client.newFile();
    const restore = inject(() => 'before');
    const response = await client.append(fileId, 0, Buffer.from('x'));
    restore();
    expect(response).toMatchObject({ status: 503, json: { code: 'store-unavailable' } });
    expect(response.headers['retry-after']).toBeDefined();
    expect((await client.append(fileId, 0, Buffer.from('x'))).status).toBe(204);
  });

  it('survives that Postgres closes its connections during uploads', async () => {
    const { fileId } = await client.newFile();
    const bytes = randomBytes(40 * 20_000);
    for (let n = 0; n < 40; n++) {
      const part = bytes.subarray(n * 20_000, (n + 1) * 20_000);
      const kill = n % 4 === 1 ? killBackends() : Promise.resolve();
      for (;;) {
        const { status } = await client.append(fileId, n * 20_000, part);
        if (status === 204) break;
        expect(status).toBe(503);
      }
      await kill;
    }
    expect((await client.stored(fileId)).equals(bytes)).toBe(true);
  });

  type Fault = 'none' | 'before' | 'after' | 'rollback' | 'disk';

  /**
   * Makes the store and the blobs fail, as if a server or disk went down. Returns a function that
   * ends the fault.
   */
  function inject(next: () => Fault): () => void {
    const { store, blobs } = service;
    const withTenant = store.withTenant.bind(store);
    const put = blobs.put.bind(blobs);
    const storeDown = () => new Problem('store-unavailable', 'down');
    store.withTenant = async (tenantId, work, options) => {
      const fault = options?.readOnly ? 'none' : next();
      if (fault === 'before') throw storeDown();
      const result = await withTenant(
        tenantId,
        async (scope) => {
          const made = await work(scope);
          if (fault === 'rollback') throw storeDown();
          return made;
        },
        options,
      );
      if (fault === 'after') throw storeDown(); // committed, but the caller gets an error
      return result;
    };
    blobs.put = async (tenantId, key, pieces) => {
      if (next() === 'disk') throw new Problem('insufficient-storage', 'full');
      await put(tenantId, key, pieces);
    };
    return () => {
      store.withTenant = withTenant;
      blobs.put = put;
    };
  }

  async function killBackends(): Promise<void> {
    await service.administer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'plotline-app %'`,
    );
  }
});

/** The first `length` bytes of a log. */
function scalarLog(length: number): Buffer {
  const events = Array.from({ length: Math.ceil(length / 50) + 1 }, (_, step) => ({ step, scalars: { loss: Math.sin(step) } }));
  return Buffer.from(writeEventFile(events)).subarray(0, length);
}
