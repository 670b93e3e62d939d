import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, writeEventFile } from '#testing';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';

const bytes = writeEventFile(Array.from({ length: 100 }, (_, step) => ({ step, wallTime: 1_700_000_000 + step, scalars: { loss: step } })));

describeWith(['plain-postgres', 'redis', 's3'], 'upload processes with a database that has lost its synchronous standby', () => {
  let service: Service;
  let admin: pg.Client;

  beforeAll(async () => {
    service = await Service.start({ processes: 'apart' });
    admin = new pg.Client({ connectionString: service.apart.postgres.url(undefined, 'plotline') });
    await admin.connect();
    await admin.query('set synchronous_commit = local');
  });
  afterAll(async () => {
    await admin?.query(`alter system reset synchronous_standby_names`);
    await admin?.query('select pg_reload_conf()');
    await admin?.end();
    await service?.dispose();
  });

  const setStandby = async (name: string): Promise<void> => {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`);
    await admin.query('select pg_reload_conf()');
    await expect
      .poll(async () => (await admin.query('show synchronous_standby_names')).rows)
      .toEqual([{ synchronous_standby_names: name }]);
  };
  const ready = async (kind: 'upload' | 'read') =>
    Promise.all(service.apart.programs.of(kind).map(async ({ url }) => (await fetch(`${url}/readyz`)).status));

  it('respond with 503, are not ready, give the reason, serve readers, and recover with the standby', async () => {
    const sender = await Sender.start(service);
    const { file_id: fileId } = await sender.announce('run');
    expect((await sender.append(fileId, 0, bytes.subarray(0, 1_000))).status).toBe(204);
    await setStandby('nobody');
    const rejected = await sender.append(fileId, 1_000, bytes.subarray(1_000));
    expect([rejected.status, await rejected.json()]).toEqual([503, expect.objectContaining({ code: 'store-unavailable' })]);
    expect(await ready('upload')).toEqual([503, 503]);
    expect(await ready('read')).toEqual([200, 200]);
    expect(service.output).toContain('commits hang: a synchronous Postgres standby is missing');
    const position = await service.fetch(`/files/${fileId}`, { method: 'HEAD' });
    // Bytes that no standby has confirmed are not acknowledged.
    expect(position.headers.get('upload-offset')).toBe('1000');
    await setStandby('');
    await expect.poll(() => ready('upload')).toEqual([200, 200]);
    expect(service.output).toContain('commits are confirmed again');
    expect((await sender.append(fileId, 1_000, bytes.subarray(1_000))).status).toBe(204);
    await sender.complete(fileId, bytes);
    await sender.visible();
  });
});
