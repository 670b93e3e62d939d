import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeWith } from '#testing';
import { useDeletionWorld } from '../testing/suite-world.ts';
import { removeExpiredRows } from './remove-expired-rows.ts';

describeWith(['postgres'], 'removeExpiredRows', () => {
  const suite = useDeletionWorld();

  it('removes expired rows of idle workspaces and people, in batches, and keeps the others', async () => {
    const { store, world } = suite;
    const tenant = await world.tenant();
    const { tenantId, personId } = tenant;
    const experimentId = await world.experiment(tenant);
    const hash = (n: number) => createHash('sha256').update(String(n)).digest();
    const numbers = Array.from({ length: 2_500 }, (_, n) => n);
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const rowsOf = async () => ({
      ...(await store.withTenant(tenantId, async ({ trx }) => ({
        keys: (await trx.selectFrom('idempotency_key').select('status').execute()).map(({ status }) => status),
        requests: (await trx.selectFrom('uploader_request').select('request_hash').execute()).map((row) =>
          row.request_hash.toString('hex'),
        ),
      }))),
      links: (await store.global.selectFrom('sign_in_link').select('link_hash').where('person_id', '=', personId).execute()).length,
      sessions: (await store.global.selectFrom('browser_session').select('session_hash').where('person_id', '=', personId).execute())
        .length,
    });
    await store.withTenant(tenantId, async ({ trx }) => {
      const key = (n: number, status: number, created_at: Date) => ({
        tenant_id: tenantId,
        key_hash: hash(n),
        request_hash: hash(n),
        status,
        created_at,
      });
      await trx
        .insertInto('idempotency_key')
        .values(numbers.map((n) => key(n, 1, ago(25))))
        .execute();
      await trx
        .insertInto('idempotency_key')
        .values(key(-1, 2, ago(23)))
        .execute();
      const request = (n: number, received_at: Date) => ({
        tenant_id: tenantId,
        experiment_id: experimentId,
        request_hash: hash(n),
        received_at,
      });
      await trx
        .insertInto('uploader_request')
        .values(numbers.map((n) => request(n, ago(7 * 24 + 1))))
        .execute();
      await trx
        .insertInto('uploader_request')
        .values(request(-1, ago(7 * 24 - 1)))
        .execute();
    });
    for (const [n, expires_at] of [[1, ago(1)] as const, [2, ago(-1)] as const]) {
      const row = { tenant_id: tenantId, person_id: personId, expires_at };
      await store.global
        .insertInto('sign_in_link')
        .values({ ...row, link_hash: hash(n) })
        .execute();
      await store.global
        .insertInto('browser_session')
        .values({ ...row, session_hash: hash(n) })
        .execute();
    }
    await removeExpiredRows(store, () => true);
    expect((await rowsOf()).keys).toHaveLength(numbers.length + 1); // not while the process is stopping
    await removeExpiredRows(store, () => false);
    expect(await rowsOf()).toEqual({ keys: [2], requests: [hash(-1).toString('hex')], links: 1, sessions: 1 });
  });
});
