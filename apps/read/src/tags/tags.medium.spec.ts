import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'tags', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: string;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    const runs = await StoredRuns.start(service, tenant);
    id = runs.experimentId;
    const [a, b] = [await runs.run('a'), await runs.run('b')];
    for (const run of [a, b]) await runs.series(run, { tag: 'loss', points: 1 });
    await runs.series(a, { tag: 'Loss', points: 1 });
    await runs.series(b, { tag: 'img', dataClass: 'blob_sequence', plugin: 'images' });
    await runs.series(a, { tag: 'img', dataClass: 'tensor', plugin: 'histograms' });
    await runs.series(a, { tag: 'hidden', dataClass: 'tensor', plugin: 'mine', listed: false });
    const other = await StoredRuns.start(service, tenant);
    await other.series(await other.run('x'), { tag: 'elsewhere' });
    const stranger = await StoredRuns.start(service, await service.tenant('Stranger'));
    await stranger.series(await stranger.run('x'), { tag: 'loss' });
  });
  afterAll(() => service?.close());

  const list = async (query = '', of = id) => (await service.call(tenant, 'GET', `/api/v1/experiments/${of}/tags${query}`)).json;

  it('are listed once each, with the runs that have them', async () => {
    expect(await list()).toEqual({
      tags: [
        { tag: 'Loss', plugin: 'scalars', data_class: 'scalar', runs: 1, display_name: 'Loss', description: '', superseded_points: 0 },
        { tag: 'img', plugin: 'histograms', data_class: 'tensor', runs: 1, display_name: 'img', description: '', superseded_points: 0 },
        { tag: 'img', plugin: 'images', data_class: 'blob_sequence', runs: 1, display_name: 'img', description: '', superseded_points: 0 },
        { tag: 'loss', plugin: 'scalars', data_class: 'scalar', runs: 2, display_name: 'loss', description: '', superseded_points: 0 },
      ],
    });
  });

  it('are listed page by page, each once', async () => {
    const seen: unknown[] = [];
    for (let token = ''; ;) {
      const { tags, next_page_token: next } = await list(`?page_size=1${token && `&page_token=${token}`}`);
      seen.push(...tags);
      if (!next) break;
      token = next;
    }
    expect(seen).toEqual((await list()).tags);
    expect((await list('?page_token=AAAAAAAAAAAAAAAA')).code).toBe('invalid-page-token');
  });

  it('are listed for visible experiments only', async () => {
    expect((await list('', 'A'.repeat(22))).code).toBe('experiment-not-found');
    expect((await list('?tag=loss')).code).toBe('unknown-field');
  });
});
