import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, type EventSpec } from '#testing';
import { listSeries, readExperiment } from '../e2e/rest-run.ts';
import { logDirectory, oracleOf } from '../logs/log-directories.ts';
import { Stage } from './stage.ts';
import { experimentIn, said, StockClient } from './stock-client.ts';
import { images, texts, TrainingLog } from './training-log.ts';

/* What people with the unmodified uploader of TensorBoard 2.15.0 can count on. */

describeWith(['tensorboard'], 'the stock uploader', () => {
  let stage: Stage;
  let log: TrainingLog;

  beforeAll(async () => {
    stage = await Stage.start();
    log = await TrainingLog.make();
  });
  afterAll(async () => {
    await log?.dispose();
    await stage?.dispose();
  });

  // The client looks no more at a file whose last event is older than 4,000 s (protocol reference B.4).
  const began = Math.floor(Date.now() / 1_000);
  const scalars = (from: number, to: number): EventSpec[] =>
    Array.from({ length: to - from }, (_, i) => ({
      step: from + i,
      wallTime: began + 0.25 + from + i,
      scalars: { loss: 1 / (from + i + 1) },
    }));

  /** The effective steps of a series; none while it is not there. */
  const stepsOf = async (experimentId: string, run: string, tag: string): Promise<unknown[]> => {
    const { series } = await stage.service.json<{ series: { columns: { step: unknown[] } }[] }>(
      `/experiments/${experimentId}/scalars/query`,
      { runs: [run], tags: [tag], sampling: 'raw' },
    );
    return series[0]?.columns.step ?? [];
  };

  it('uploads a directory once, with everything that it finds there', async () => {
    const { experimentId, result } = await stage.client.upload(
      await logDirectory('tensorboardx'),
      '--name',
      'Digits',
      '--description',
      'of *tensorboardX*',
    );
    expect(result.stdout).toContain(`${stage.service.url}/e/${experimentId}`);
    await stage.visible(experimentId);
    expect(await stage.service.json(`/experiments/${experimentId}`)).toMatchObject({ name: 'Digits', description: 'of *tensorboardX*' });
    const oracle = await oracleOf('tensorboardx');
    const expected = Object.entries(oracle.runs).flatMap(([run, { tags }]) =>
      Object.entries(tags).map(([tag, { plugin, count }]) => `${run} ${tag} ${plugin} ${count}`),
    );
    const stored = (await listSeries(stage.service, experimentId)).map(
      ({ run, tag, plugin, points, superseded_points }) => `${run} ${tag} ${plugin} ${points + superseded_points}`,
    );
    expect(stored.toSorted()).toEqual(expected.toSorted());
    const plugins = new Set(Object.values(oracle.runs).flatMap(({ tags }) => Object.values(tags).map(({ plugin }) => plugin)));
    expect([...plugins]).toEqual(
      expect.arrayContaining(['scalars', 'histograms', 'text', 'hparams', 'images', 'audio', 'pr_curves', 'mesh', 'custom_scalars']),
    );
  });

  it('uploads graphs', async () => {
    const { experimentId } = await stage.client.upload(await logDirectory('keras'));
    await stage.visible(experimentId);
    const graphs = (await listSeries(stage.service, experimentId)).filter(({ plugin }) => plugin === 'graph_keras_model');
    expect(graphs.length).toBeGreaterThan(0);
    for (const { points, data_class } of graphs) expect([points > 0, data_class]).toEqual([true, 'blob_sequence']);
  });

  it('follows a training until it is interrupted, and sends nothing twice', async () => {
    const live = await TrainingLog.make();
    try {
      await live.begin('train', scalars(0, 3));
      const { child, ended } = stage.client.spawn('upload', '--logdir', live.logdir);
      let output = '';
      child.stdout!.on('data', (piece: Buffer | string) => (output += String(piece)));
      while (!/\/e\/[A-Za-z0-9]{22}/.test(output) && child.exitCode === null) await sleep(100);
      const experimentId = experimentIn(output);
      const reaches = async (count: number): Promise<void> => {
        while ((await stepsOf(experimentId, 'train', 'loss')).length < count && child.exitCode === null) await sleep(200);
      };
      await reaches(3);
      await live.append('train', scalars(3, 6));
      await live.begin('validation', [...texts('notes', ['*good*', 'better']), ...images('digits', [Uint8Array.of(1, 2, 3)])]);
      await reaches(6);
      await live.append('train', scalars(6, 7));
      await reaches(7);
      child.kill('SIGINT');
      const { code, stdout } = await ended;
      expect([code, /Interrupted/.test(stdout)]).toEqual([0, true]);
      await stage.visible(experimentId);
      const stored = await readExperiment(stage.service, experimentId);
      const loss = stored.get('train')!.get('loss')!;
      expect(loss.superseded).toEqual(Array.from({ length: 7 }, () => false));
      expect(loss.scalars.map(({ step, wallTime, value }) => [Number(step), wallTime, value])).toEqual(
        scalars(0, 7).map(({ step, wallTime, scalars: values }) => [step, wallTime, Math.fround(values!.loss!)]),
      );
      const validation = stored.get('validation')!;
      expect(validation.get('notes')!.tensors.map(({ data }) => Buffer.from(data).toString('utf8', 4))).toEqual(['*good*', 'better']);
      expect(validation.get('digits')!.blobSequences.map(({ blobs }) => blobs.map((blob) => [...blob]))).toEqual([[[50], [50], [1, 2, 3]]]);
    } finally {
      await live.dispose();
    }
  });

  it('sends only the plugins that are asked for', async () => {
    const { experimentId } = await stage.client.upload(await logDirectory('tensorboardx'), '--plugins', 'text,histograms');
    await stage.visible(experimentId);
    const plugins = new Set((await listSeries(stage.service, experimentId)).map(({ plugin }) => plugin));
    expect([...plugins].toSorted()).toEqual(['histograms', 'text']);
  });

  it('keeps wall times to the nanosecond, steps of 64 bits, long names, and values that are no numbers', async () => {
    const run = 'r'.repeat(250);
    const tag = 't'.repeat(384);
    // Protocol reference E, uploader tests
    const points = [
      { step: -(2n ** 63n), wallTime: 1.000000002, value: NaN },
      { step: 0n, wallTime: 1567808404.765432119, value: -Infinity },
      { step: 2n ** 63n - 1n, wallTime: 1567808405, value: -0 },
    ];
    await log.begin(
      `${run}/${run}`,
      points.map(({ step, wallTime, value }) => ({ step, wallTime, simpleValues: { [tag]: value } })),
    );
    const { experimentId } = await stage.client.upload(log.logdir);
    await stage.visible(experimentId);
    const series = (await readExperiment(stage.service, experimentId)).get(`${run}/${run}`)!.get(tag)!;
    expect(series.scalars).toEqual(points);
  });

  it('is told that its experiment was deleted meanwhile, and ends in order', async () => {
    const live = await TrainingLog.make();
    try {
      await live.begin('train', scalars(0, 3));
      const { child, ended } = stage.client.spawn('upload', '--logdir', live.logdir);
      let output = '';
      child.stdout!.on('data', (piece: Buffer | string) => (output += String(piece)));
      while (!/\/e\/[A-Za-z0-9]{22}/.test(output) && child.exitCode === null) await sleep(100);
      const experimentId = experimentIn(output);
      while ((await stepsOf(experimentId, 'train', 'loss')).length < 3 && child.exitCode === null) await sleep(200);
      expect((await stage.service.fetch(`/experiments/${experimentId}`, { method: 'DELETE' })).status).toBe(204);
      await live.append('train', scalars(3, 6));
      const result = await ended;
      expect([result.code, /was deleted/.test(said(result))], said(result)).toEqual([0, true]);
    } finally {
      await live.dispose();
    }
  });

  it('says in words why a stranger is not let in', async () => {
    const stranger = await StockClient.make(stage.service.url, 'plt_nobody');
    try {
      const result = await stranger.run('upload', '--logdir', log.logdir, '--one_shot');
      expect(result.code).toBe(1);
      expect(said(result)).toContain('UNAUTHENTICATED');
    } finally {
      await stranger.dispose();
    }
  });

  it('hears of names that are too long before anything is made', async () => {
    const result = await stage.client.run('upload', '--logdir', log.logdir, '--one_shot', '--name', 'n'.repeat(101));
    expect(result.code).not.toBe(0);
  });
});
