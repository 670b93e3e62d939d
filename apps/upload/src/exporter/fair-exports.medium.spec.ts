import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId } from '#model';
import type { StreamExperimentDataResponse } from '#protocols';
import { pointsOf, SeriesWorld } from '#series/testing';
import { describeWith } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';

const exportPath = '/tensorboard.service.TensorBoardExporterService/StreamExperimentData';
/** Each export is larger than what can be in transit to a client that does not read. */
const series = 200;
const pointsEach = 1_000;

describeWith(['postgres'], 'exports of several workspaces', () => {
  let service: UploadService;
  let loud: UploadClient;
  let quiet: UploadClient;
  const clients: GrpcTestClient[] = [];
  const worlds: SeriesWorld[] = [];
  let large: ExperimentId;
  let small: ExperimentId;

  beforeAll(async () => {
    service = await UploadService.start();
    [loud, quiet] = [await service.newClient(), await service.newClient()];
    [large, small] = [await loud.newExperiment(), await quiet.newExperiment()];
    await fill(loud, large, series, pointsEach);
    await fill(quiet, small, 1, 2);
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    for (const world of worlds) await world.close();
    await service?.stop();
  });

  async function fill({ tenantId }: UploadClient, experimentId: ExperimentId, tags: number, points: number): Promise<void> {
    const world = await SeriesWorld.over({ database: service.database, tenantId, experimentId });
    worlds.push(world);
    const runId = await world.run('run');
    const fileId = await world.file(runId, 'events.1');
    const rows = pointsOf(Array.from({ length: points }, (_, i) => [i, 1.7e9 + i, i] as const));
    for (let i = 0; i < tags; i++) await world.storePoints(await world.series(runId, `loss/${i}`), [{ fileId, points: rows }]);
  }

  const grpcOf = (client: UploadClient): GrpcTestClient => {
    const made = client.grpc();
    clients.push(made);
    return made;
  };
  const open = (client: GrpcTestClient, experimentId: ExperimentId) =>
    client.open<StreamExperimentDataResponse>(exportPath, { experimentId, readTimestamp: null });

  it('run even if one workspace starts many and reads none of them', async () => {
    const stalled = Array.from({ length: 12 }, () => open(grpcOf(loud), large).on('error', () => undefined));
    // Exports with a permit have sent something; the others are waiting for a permit
    await Promise.race(stalled.map((stream) => new Promise((resolve) => void stream.once('metadata', resolve))));
    for (let i = 0; i < 3; i++) {
      const responses = (await open(grpcOf(quiet), small).toArray()) as StreamExperimentDataResponse[];
      expect(responses.map(({ tagName }) => tagName)).toEqual(['loss/0']);
    }
    expect(stalled.filter(({ readableEnded, destroyed }) => readableEnded || destroyed)).toEqual([]);
    // Canceled exports leave the queue, so the workspace's next export gets a permit
    for (const stream of stalled) stream.cancel();
    const all = (await open(grpcOf(loud), large).toArray()) as StreamExperimentDataResponse[];
    expect(new Set(all.map(({ tagName }) => tagName)).size).toBe(series);
  });
});
