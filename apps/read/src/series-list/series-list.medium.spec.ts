import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'series', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: string;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    const runs = await StoredRuns.start(service, tenant);
    id = runs.experimentId;
    const b = await runs.run('b');
    const a = await runs.run('a/x');
    await runs.series(a, {
      tag: 'loss',
      points: 10,
      superseded: 2,
      firstStep: '-9223372036854775808',
      lastStep: '9223372036854775807',
      min: Number.NEGATIVE_INFINITY,
      max: 2.5,
      last: '-0',
      nans: 1,
    });
    await runs.series(a, { tag: 'loss', twin: true, dataClass: 'tensor', plugin: 'scalars', points: 1 });
    await runs.series(b, { tag: 'loss', points: 3, firstStep: '0', lastStep: '2', min: null, max: null, last: Number.NaN, nans: 3 });
    await runs.series(b, { tag: 'gone', points: 0, superseded: 4 });
    await runs.series(b, {
      tag: 'img',
      dataClass: 'blob_sequence',
      plugin: 'images',
      points: 2,
      firstStep: '0',
      lastStep: '9007199254740993',
      maxLength: 5,
    });
    await runs.series(b, { tag: 'unknown', dataClass: 'tensor', plugin: 'mine', listed: false });
    await runs.series(b, { tag: '', dataClass: 'tensor', plugin: 'text' });
  });
  afterAll(() => service?.close());

  const list = async (query = '') => service.call(tenant, 'GET', `/api/v1/experiments/${id}/series${query}`);
  const places = async (query = '') =>
    (await list(query)).json.series.map(({ run, tag, data_class }: Record<string, string>) => `${run} ${tag} ${data_class}`);

  it('are listed by run and tag, with exact numbers', async () => {
    const { text, json } = await list();
    expect(json.series.map(({ run, tag }: Record<string, string>) => [run, tag])).toEqual([
      ['a/x', 'loss'],
      ['b', ''],
      ['b', 'gone'],
      ['b', 'img'],
      ['b', 'loss'],
    ]);
    const [extreme, , superseded, images, onlyNan] = json.series;
    expect(extreme).toMatchObject({
      data_class: 'scalar',
      plugin: 'scalars',
      points: 10,
      superseded_points: 2,
      first_step: '-9223372036854775808',
      last_step: '9223372036854775807',
      min: '-Infinity',
      max: 2.5,
      nan_count: 1,
    });
    expect(text).toContain('"last":-0.0,');
    expect(onlyNan).toMatchObject({ min: null, max: null, last: 'NaN', nan_count: 3 });
    expect(superseded).toMatchObject({ points: 0, superseded_points: 4, first_step: null, last: null });
    expect(images).toMatchObject({
      data_class: 'blob_sequence',
      max_length: 5,
      last_step: '9007199254740993',
      min: null,
      last: null,
      nan_count: null,
    });
    expect(Object.keys(extreme)).toEqual(
      expect.arrayContaining([
        'run',
        'tag',
        'data_class',
        'plugin',
        'display_name',
        'description',
        'points',
        'superseded_points',
        'invalid_points',
        'mismatched_points',
        'rounded_points',
        'first_step',
        'last_step',
        'last_wall_time',
        'min',
        'max',
        'last',
        'nan_count',
        'max_length',
      ]),
    );
  });

  it('are selected by run, tag and plugin, exactly, and unlisted ones on request', async () => {
    expect(await places('?run=b&tag=loss')).toEqual(['b loss scalar']);
    expect(await places('?tag=loss')).toEqual(['a/x loss scalar', 'b loss scalar']);
    expect(await places('?tag=loss&tag=img&run=b')).toEqual(['b img blob_sequence', 'b loss scalar']);
    expect(await places('?tag=')).toEqual(['b  tensor']);
    expect(await places('?plugin=images')).toEqual(['b img blob_sequence']);
    expect(await places('?run=a')).toEqual([]);
    expect(await places('?unlisted=true')).toEqual([
      'a/x loss scalar',
      'a/x loss tensor',
      'b  tensor',
      'b gone scalar',
      'b img blob_sequence',
      'b loss scalar',
      'b unknown tensor',
    ]);
    expect(await places('?unlisted=false')).toHaveLength(5);
    expect((await list('?unlisted=maybe')).json.code).toBe('bad-request');
    expect((await list('?tag=%00')).json.code).toBe('bad-request');
    expect((await list('?tags=loss')).json).toMatchObject({ code: 'unknown-field', fields: ['tags'] });
  });

  it('are paged through, each once', async () => {
    const seen: string[] = [];
    for (let token = ''; ;) {
      const { json } = await list(`?unlisted=true&page_size=2${token && `&page_token=${token}`}`);
      seen.push(...json.series.map(({ run, tag, data_class }: Record<string, string>) => `${run} ${tag} ${data_class}`));
      if (!json.next_page_token) break;
      token = json.next_page_token;
    }
    expect(seen).toEqual(await places('?unlisted=true'));
  });
});
