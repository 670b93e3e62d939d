import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#testing';
import { startProbe } from './running-probe.ts';
import { Cli, Service } from './service.ts';

describe('plotline probe', () => {
  let service: Service;
  let folder: string;
  let cli: Cli;

  beforeAll(async () => {
    service = await Service.start();
    folder = await mkdtemp(join(tmpdir(), 'plotline-probe-'));
    cli = new Cli(service, folder);
  });
  afterAll(async () => {
    await service?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const experiments = async () => (await service.json<{ experiments: unknown[] }>('/experiments')).experiments;

  it('uploads a point, reads it back, and leaves nothing', async () => {
    const { seconds } = await cli.json<{ seconds: Record<string, number> }>('probe', '--once');
    expect(Object.keys(seconds)).toEqual(['create', 'upload', 'visible', 'read', 'delete']);
    expect(await experiments()).toEqual([]);
  });

  it('exits with 1 and the phase if the service does not answer', async () => {
    const away = { PLOTLINE_SERVER: `http://127.0.0.1:${await freePort()}`, PLOTLINE_TOKEN: await service.token() };
    const { code, stdout } = await cli.spawn(['probe', '--once', '--timeout', '1', '--json'], away).ended;
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'probe-create' } }]);
  });

  it('repeats it, serves metrics, and stops on SIGTERM after the running round', async () => {
    const { child, ended, url } = await startProbe(cli);
    const metrics = async (): Promise<string> => (await fetch(url)).text();
    await expect.poll(metrics, { timeout: 30_000 }).toMatch(/^plotline_probe_rounds_succeeded_total [2-9]$/m);
    expect(await metrics()).toMatch(/^plotline_probe_up 1$/m);
    expect((await fetch(new URL('/other', url))).status).toBe(404);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(130);
    expect(await experiments()).toEqual([]);
  });
});
