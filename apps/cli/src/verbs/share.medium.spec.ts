import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../../../read/src/testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../../../read/src/testing/read-service.ts';
import { TestHost } from '../testing/test-host.ts';

describeWith(['postgres'], 'plotline share, unshare and snapshot', () => {
  let service: ReadService;
  let owner: TestTenant;
  let host: TestHost;
  let logged: LoggedExperiments;
  let id: string;
  beforeAll(async () => {
    service = await startReadService();
    owner = await service.tenant();
    host = new TestHost({ PLOTLINE_SERVER: service.base, PLOTLINE_TOKEN: owner.token });
    logged = new LoggedExperiments(service);
    const events = [{ step: 0n, values: [{ tag: 'loss', scalar: 1 }] }];
    id = await logged.make(owner, { a: events, b: events }, 'resnet');
  });
  afterAll(async () => {
    host?.remove();
    await logged?.close();
    await service?.close();
  });

  const run = async (...args: string[]) => {
    const { exitCode, stdout } = await host.run([...args, '--json']);
    return { exitCode, json: JSON.parse(stdout) };
  };

  it('create a working link, list it without its secret, and revoke it', async () => {
    const args = ['--name', 'review', '--run', 'a', '--run', 'b', '--tag', 'loss', '--anonymous', '--expires', '3'];
    const { exitCode, json } = await run('share', id, ...args);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ kind: 'page', name: 'review', runs: ['a', 'b'], tags: ['loss'], anonymous: true, frozen: false });
    const secret = String(json.url).split('/').at(-1)!;
    const visit = await service.call(null, 'GET', `/api/v1/experiments/${id}`, { headers: { 'plotline-share': secret } });
    expect([visit.status, visit.json.owner]).toEqual([200, null]);
    const listed = await host.run(['share', id, '--list']);
    expect(listed.stdout).toContain('2 runs, 1 tag, anonymous');
    expect(listed.stdout).not.toContain(secret);
    expect((await run('unshare', json.id)).json).toEqual({ id: json.id, revoked: true });
    expect((await run('share', id, '--list')).json.share_links).toEqual([]);
    expect((await run('unshare', '0b7e4e0a-2f0c-4d55-9a4f-7f1f0f3a2c11')).exitCode).toBe(4);
  });

  it('create embeds and frozen links, make experiments public, and copy them', async () => {
    const embed = await run('share', id, '--embed', 'https://blog.example', '--expires', 'never');
    expect(embed.json).toMatchObject({ kind: 'embed', origins: ['https://blog.example'], expires_at: null });
    const frozen = await run('share', id, '--frozen');
    expect(frozen.json).toMatchObject({ frozen: true });
    expect(frozen.json.experiment).not.toBe(id);
    expect((await run('share', id, '--public')).json.visibility).toBe('public');
    expect((await run('share', id, '--private')).json.visibility).toBe('private');
    const copy = await run('snapshot', id, '--name', 'as published');
    expect(copy.json).toMatchObject({ name: 'as published', snapshot: { of: id } });
  });

  it.each([
    [['share', 'A'.repeat(22), '--list', '--public']],
    [['share', 'A'.repeat(22), '--list', '--anonymous']],
    [['share', 'A'.repeat(22), '--expires', 'soon']],
    [['unshare', 'x']],
  ])('exit 2 for %j', async (args) => {
    expect((await host.run(args)).exitCode).toBe(2);
  });
});
