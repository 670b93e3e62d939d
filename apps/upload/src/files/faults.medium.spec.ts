import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Problem } from '#model';
import { describeWith } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';

describeWith(['postgres'], 'uploading while things fail', () => {
  let service: UploadService;
  let client: UploadClient;

  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
  });
  afterAll(() => service?.stop());

  it('loses and doubles nothing when the service fails before or after any commit and clients simply try again', async () => {
    const fault = fc.constantFrom('none', 'none', 'before', 'after', 'rollback', 'disk') as fc.Arbitrary<Fault>;
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fault),
        fc.array(fc.integer({ min: 1, max: 80_000 }), { minLength: 1, maxLength: 10 }),
        async (faults, lengths) => {
          const { fileId } = await client.newFile();
          const bytes = randomBytes(lengths.reduce((a, b) => a + b, 0));
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
                  const { status, headers } = await client.append(fileId, start, bytes.subarray(start, start + length));
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

  it('says 503 with Retry-After while Postgres is away, and goes on by itself', async () => {
    const { fileId } = await client.newFile();
    const restore = inject(() => 'before');
    const answer = await client.append(fileId, 0, Buffer.from('x'));
    restore();
    expect(answer).toMatchObject({ status: 503, json: { code: 'store-unavailable' } });
    expect(answer.headers['retry-after']).toBeDefined();
    expect((await client.append(fileId, 0, Buffer.from('x'))).status).toBe(204);
  });

  it('survives that Postgres ends its connections in the middle of uploads', async () => {
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
   * Makes the store and the blobs fail like a server or a disk that goes down. Returns a function
   * that ends it.
   */
  function inject(next: () => Fault): () => void {
    const { store, blobs } = service;
    const withTenant = store.withTenant.bind(store);
    const put = blobs.put.bind(blobs);
    const away = () => new Problem('store-unavailable', 'away');
    store.withTenant = async (tenantId, work, options) => {
      const fault = options?.readOnly ? 'none' : next();
      if (fault === 'before') throw away();
      const result = await withTenant(
        tenantId,
        async (scope) => {
          const made = await work(scope);
          if (fault === 'rollback') throw away();
          return made;
        },
        options,
      );
      if (fault === 'after') throw away(); // committed, but the caller gets an error
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
