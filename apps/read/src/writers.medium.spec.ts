import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveGrpc, standardGrpc } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId } from '#model';
import type { ListScalarsResponse, ReadScalarsResponse } from '#protocols';
import { pointsOf, SeriesWorld } from '#series/testing';
import { describeWith } from '#testing';
import { type ApiResponse, type ReadService, startReadService, type TestTenant } from './testing/read-service.ts';
import { StoredRuns } from './testing/stored-runs.ts';

const provider = '/tensorboard.data.TensorBoardDataProvider';
/** 8 s into the run, two ranks log the same tag: one at even steps, one at multiples of three. */
const ranks = [
  pointsOf(Array.from({ length: 300 }, (_, i) => [2 * i, 1000 + i, i] as const)),
  pointsOf(Array.from({ length: 200 }, (_, i) => [3 * i, 1000.5 + i, 1000 + i] as const)),
];

describeWith(['postgres'], 'several writers of one run', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let world: SeriesWorld;
  let id: ExperimentId;
  let client: GrpcTestClient;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    id = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    world = await SeriesWorld.over({ database: service.database, tenantId: tenant.tenantId, experimentId: id });
    const runId = await world.run('train');
    for (const [writer, points] of ranks.entries()) {
      const fileId = await world.file(runId, `events.out.tfevents.1000.rank${writer}`);
      const seriesId = await world.series(runId, 'loss', { writer });
      await world.storePoints(seriesId, [{ fileId, points }]);
      await service.sql(
        `insert into series_stats (tenant_id, series_id, points, superseded_points, invalid_points, mismatched_points, rounded_points, first_step, last_step, last_wall_time, min_value, max_value, last_value, nan_count)
         values ($1, $2, $3, 0, 0, 0, 0, 0, $4, $5, $6, $7, $7, 0)`,
        [
          tenant.tenantId,
          seriesId,
          points.steps.length,
          String(points.steps.at(-1)),
          points.wallTimes.at(-1),
          points.values[0],
          points.values.at(-1),
        ],
      );
    }
    const other = await world.run('eval');
    await world.storePoints(await world.series(other, 'loss'), [
      { fileId: await world.file(other, 'events.1'), points: pointsOf([[5, 1000, 7]]) },
    ]);
    await world.storePoints(await world.series(runId, 'alone'), [
      { fileId: await world.file(runId, 'events.2'), points: pointsOf([[5, 1000, 7]]) },
    ]);
    client = new GrpcTestClient((await serveGrpc(service.app, standardGrpc()))!.port, { authorization: `Bearer ${tenant.token}` });
  });
  afterAll(async () => {
    client?.close();
    await world?.close();
    await service?.close();
  });

  const query = (body: unknown, accept = 'application/json'): Promise<ApiResponse> =>
    service.call(tenant, 'POST', `/api/v1/experiments/${id}/scalars/query`, { body, headers: { accept } });

  it('are separate series, with the number of the writer, and complete', async () => {
    const { json } = await query({ tags: ['loss'], sampling: 'raw' });
    expect(json.series.map((one: Record<string, unknown>) => [one['run'], one['writer'], one['source_points']])).toEqual([
      ['eval', 0, 1],
      ['train', 0, 300],
      ['train', 1, 200],
    ]);
    for (const writer of [0, 1]) expect(json.series[1 + writer].columns.value).toEqual([...ranks[writer]!.values]);
    const buckets = await query({ tags: ['loss'], points: 50 });
    expect(buckets.json.series.map((one: Record<string, unknown>) => one['writer'])).toEqual([0, 0, 1]);
  });

  it('are a column of tables, on every page', async () => {
    const wanted = { tags: ['loss'], sampling: 'raw', page_size: 301 };
    const first = await query(wanted, 'text/csv');
    const second = await query({ ...wanted, page_token: first.headers.get('next-page-token') }, 'text/csv');
    const rows = [first, second].flatMap(({ text }) => text.split('\r\n').slice(1, -1));
    expect([first, second].map(({ text }) => text.split('\r\n')[0])).toEqual(Array(2).fill('run,tag,writer,step,wall_time,value'));
    expect(rows).toHaveLength(501);
    expect(rows.filter((row) => row.startsWith('train,loss,1,'))[1]).toBe('train,loss,1,3,1001.5,1001.0');
    const arrow = await fetch(`${service.base}/api/v1/experiments/${id}/scalars?tag=loss&sampling=raw`, {
      headers: { authorization: `Bearer ${tenant.token}`, accept: 'application/vnd.apache.arrow.stream' },
    });
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
    expect(table.schema.fields.map(({ name }) => name)).toEqual(['run', 'tag', 'writer', 'step', 'wall_time', 'value']);
    expect([...table.getChild('writer')!].reduce((sum: number, writer) => sum + Number(writer), 0)).toBe(200);
  });

  it('change nothing if there is only one', async () => {
    const { json } = await query({ tags: ['alone'] });
    expect(Object.keys(json.series[0])).toEqual(['run', 'tag', 'sampling', 'exact', 'source_points', 'columns']);
    expect((await query({ tags: ['alone'] }, 'text/csv')).text).toBe('run,tag,step,wall_time,value\r\ntrain,alone,5,1000.0,7.0\r\n');
    expect((await service.call(tenant, 'GET', `/api/v1/experiments/${id}/series?tag=alone`)).json.series[0]).not.toHaveProperty('writer');
  });

  it('are listed one by one, and count as one run of a tag', async () => {
    const { json } = await service.call(tenant, 'GET', `/api/v1/experiments/${id}/series?tag=loss&run=train`);
    expect(json.series.map((one: Record<string, unknown>) => [one['writer'], one['points'], one['last']])).toEqual([
      [0, 300, 299],
      [1, 200, 1199],
    ]);
    const tags = (await service.call(tenant, 'GET', `/api/v1/experiments/${id}/tags`)).json.tags;
    expect(tags.map((one: Record<string, unknown>) => [one['tag'], one['runs']])).toEqual([
      ['alone', 1],
      ['loss', 2],
    ]);
    const { json: receipt } = await service.call(tenant, 'GET', `/api/v1/experiments/${id}/receipt`);
    expect(receipt.totals.points).toBe(500);
    expect(
      receipt.series.filter((one: Record<string, unknown>) => one['points'] !== 0).map((one: Record<string, unknown>) => one['writer']),
    ).toEqual([0, 1]);
  });

  it('are filtered and ordered by the last point at the largest step, and among equal steps the last logged', async () => {
    const runs = await StoredRuns.start(service, tenant);
    const write = async (name: string, writers: readonly [step: string, wall: number, last: number][]) => {
      const runId = await runs.run(name);
      for (const [writer, [lastStep, lastWallTime, last]] of writers.entries())
        await runs.series(runId, { tag: 'x', writer, lastStep, lastWallTime, last, min: last - 1, max: last + 1 });
    };
    await write('by step', [
      ['9', 1000, 5],
      ['10', 500, 6],
    ]);
    await write('by time', [
      ['10', 1000, 7],
      ['10', 500, 1],
    ]);
    const list = async (filter: string) =>
      (
        await service.call(
          tenant,
          'GET',
          `/api/v1/experiments/${runs.experimentId}/runs?filter=${encodeURIComponent(filter)}&order_by=${encodeURIComponent("last('x') desc")}`,
        )
      ).json.runs.map((one: Record<string, unknown>) => one['run']);
    expect(await list('last("x") > 5')).toEqual(['by time', 'by step']);
    expect(await list('last("x") = 6 and min("x") = 4 and max("x") = 7')).toEqual(['by step']);
    expect(await list('min("x") = 0 and max("x") = 8')).toEqual(['by time']);
  });

  it('are one tag with all of their points in stock TensorBoard', async () => {
    const asked = { experimentId: id, pluginFilter: { pluginName: 'scalars' }, runTagFilter: { tags: { names: ['loss'] } } };
    const listed = await client.call<ListScalarsResponse>(`${provider}/ListScalars`, asked);
    const train = listed.runs.find(({ runName }) => runName === 'train')!;
    expect(train.tags.map(({ tagName, metadata }) => [tagName, String(metadata!.maxStep)])).toEqual([['loss', '598']]);
    const read = (numPoints: number) =>
      client.call<ReadScalarsResponse>(`${provider}/ReadScalars`, { ...asked, downsample: { numPoints } });
    const of = ({ runs }: ReadScalarsResponse) => runs.find(({ runName }) => runName === 'train')!.tags;
    const [all, ...more] = of(await read(1000));
    expect(more).toEqual([]);
    // The content of the event accumulator after both files: here sorted by step, and within a step
    // by time
    const expected = ranks
      .flatMap(({ steps, wallTimes, values }) => Array.from(steps, (step, i) => [Number(step), wallTimes[i]!, values[i]!] as const))
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    expect(all!.data!.step.map(Number)).toEqual(expected.map(([step]) => step));
    expect(all!.data!.wallTime).toEqual(expected.map(([, wallTime]) => wallTime));
    expect(all!.data!.value).toEqual(expected.map(([, , value]) => value));
    const [some] = of(await read(100));
    expect([some!.data!.step.length, Number(some!.data!.step.at(-1))]).toEqual([100, 598]);
  });
});
