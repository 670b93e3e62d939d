import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, type EventSpec } from '#testing';
import { listSeries, readExperiment } from '../e2e/rest-run.ts';
import { logDirectory, oracleOf } from '../logs/log-directories.ts';
import { Stage } from './stage.ts';
import { experimentIn, StockClient, textOf } from './stock-client.ts';
import { graphs, images, repeated, texts, TrainingLog } from './training-log.ts';

/* Guarantees for users of the unmodified TensorBoard 2.15.0 uploader. */

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

  // The client no longer polls a file whose last event is older than 4,000 s (protocol reference
  // B.4).
  const began = Math.floor(Date.now() / 1_000);
  const scalars = (from: number, to: number): EventSpec[] =>
    Array.from({ length: to - from }, (_, i) => ({
      step: from + i,
      wallTime: began + 0.25 + from + i,
      scalars: { loss: 1 / (from + i + 1) },
    }));

  /** Returns the effective steps of a series; empty while it does not exist. */
  const stepsOf = async (experimentId: string, run: string, tag: string): Promise<unknown[]> => {
    const { series } = await stage.service.json<{ series: { columns: { step: unknown[] } }[] }>(
      `/experiments/${experimentId}/scalars/query`,
      { runs: [run], tags: [tag], sampling: 'raw' },
    );
    return series[0]?.columns.step ?? [];
  };

  it('uploads a directory once, with everything in it', async () => {
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
    const models = (await listSeries(stage.service, experimentId)).filter(({ plugin }) => plugin === 'graph_keras_model');
    expect(models.length).toBeGreaterThan(0);
    for (const { points, data_class } of models) expect([points > 0, data_class]).toEqual([true, 'blob_sequence']);
  });

  it('follows a training run until it is interrupted, and sends nothing twice', async () => {
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

  it('sends only the requested plugins', async () => {
    const { experimentId } = await stage.client.upload(await logDirectory('tensorboardx'), '--plugins', 'text,histograms');
    await stage.visible(experimentId);
    const plugins = new Set((await listSeries(stage.service, experimentId)).map(({ plugin }) => plugin));
    expect([...plugins].toSorted()).toEqual(['histograms', 'text']);
  });

  it('keeps wall times to the nanosecond, 64-bit steps, long names, and non-finite values', async () => {
    const run = ['q', 'r', 's', 't'].map((letter) => letter.repeat(191)).join('/');
    const tag = 't'.repeat(384);
    const textTag = 'x'.repeat(600);
    // Protocol reference E, uploader tests
    const points = [
      { step: -(2n ** 63n), wallTime: 1.000000002, value: NaN },
      { step: 0n, wallTime: 1567808404.765432119, value: -Infinity },
      { step: 2n ** 63n - 1n, wallTime: 1567808405, value: -0 },
    ];
    await log.begin(run, [
      ...points.map(({ step, wallTime, value }) => ({ step, wallTime, simpleValues: { [tag]: value } })),
      ...texts(textTag, ['a', 'b']),
    ]);
    const { experimentId } = await stage.client.upload(log.logdir);
    await stage.visible(experimentId);
    const stored = (await readExperiment(stage.service, experimentId)).get(run)!;
    expect(stored.get(tag)!.scalars).toEqual(points);
    expect(stored.get(textTag)!.tensors).toHaveLength(2);
  });

  it('sends every value in order: several of one event, of one step, and of falling steps', async () => {
    const odd = await TrainingLog.make();
    try {
      await odd.begin('.', [
        repeated(0, 'loss', [1, 2, 3]),
        repeated(4, 'loss', [4]),
        repeated(4, 'loss', [5]),
        repeated(2, 'loss', [6, 7]),
      ]);
      const { experimentId } = await stage.client.upload(odd.logdir);
      await stage.visible(experimentId);
      const { scalars: points, superseded } = (await readExperiment(stage.service, experimentId)).get('.')!.get('loss')!;
      expect(points.map(({ step, value }) => [Number(step), value])).toEqual([[0, 1], [0, 2], [0, 3], [4, 4], [4, 5], [2, 6], [2, 7]]); // prettier-ignore
      // The same steps again; step 2 comes late, but was not logged before (data rule 2).
      expect(superseded).toEqual([true, true, false, true, false, true, false]);
    } finally {
      await odd.dispose();
    }
  });

  it('keeps names distinct that look alike or are special elsewhere', async () => {
    const odd = await TrainingLog.make();
    const runs = ['é "x"/日本 語/🎉', 'e\u0301 "x"', '..hidden', 'a\\b', "'; drop table run; --", '%2e%2e', ' '];
    const tags = ['a/b', 'a//b', '/', '..', '日本\n語', ' ', 'A/b', '<script>alert(1)</script>', 'nul\0tag'];
    try {
      for (const run of runs) await odd.begin(run, [{ step: 1, simpleValues: Object.fromEntries(tags.map((tag, i) => [tag, i])) }]);
      const { experimentId } = await stage.client.upload(odd.logdir);
      await stage.visible(experimentId);
      const stored = await readExperiment(stage.service, experimentId);
      // The database cannot store this text, so a problem is reported for the file.
      const kept = tags.filter((tag) => !tag.includes('\0'));
      expect([...stored.keys()].toSorted()).toEqual(runs.toSorted());
      for (const series of stored.values()) {
        const values = new Map([...series].map(([tag, { scalars: points }]) => [tag, points[0]?.value]));
        expect(values).toEqual(new Map(kept.map((tag, i) => [tag, i])));
      }
    } finally {
      await odd.dispose();
    }
  });

  it('can upload several times at once for one member, each upload complete', async () => {
    const names = ['tensorboardx', 'frameworks', 'tensorboardx'] as const;
    const alone = await Promise.all(names.map(async (name) => stage.client.upload(await logDirectory(name))));
    for (const [i, name] of names.entries()) {
      const { experimentId } = alone[i]!;
      await stage.visible(experimentId);
      const tags = Object.values((await oracleOf(name)).runs).flatMap((run) => Object.values(run.tags));
      // The uploader does not send series of unknown plugins.
      const expected = tags.filter(({ listed_by_data_provider }) => listed_by_data_provider).map(({ count }) => count);
      const stored = (await listSeries(stage.service, experimentId)).map(({ points, superseded_points }) => points + superseded_points);
      const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
      expect([stored.length, sum(stored)]).toEqual([expected.length, sum(expected)]);
    }
  });

  it('continues if a graph is logged more than once, and the last one counts', async () => {
    const twice = await TrainingLog.make();
    try {
      await twice.begin('train', [...graphs(['first', 'first', 'second']), { step: 1, scalars: { loss: 1 } }]);
      const { experimentId } = await stage.client.upload(twice.logdir);
      await stage.visible(experimentId);
      const train = (await readExperiment(stage.service, experimentId)).get('train')!;
      expect(train.get('loss')!.scalars).toHaveLength(1);
      const graph = train.get('__run_graph__')!;
      const kept = graph.blobSequences.filter((_, i) => !graph.superseded[i]).map(({ blobs }) => Buffer.from(blobs[0]!).toString());
      expect(kept).toEqual([expect.stringContaining('second')]);
    } finally {
      await twice.dispose();
    }
  });

  it('skips what is too large for it, reports that, and sends the rest; large data is stored completely', async () => {
    const large = await TrainingLog.make();
    try {
      const image = (bytes: number, fill: number): Uint8Array => new Uint8Array(bytes).fill(fill);
      const MiB = 1024 * 1024;
      await large.begin('.', [
        ...texts('notes', ['short', 'x'.repeat(8 * MiB + 1), 'short again', 'y'.repeat(8 * MiB - 100)]),
        ...images('digits', [[image(12 * MiB, 1), image(11 * MiB, 2)], image(32 * MiB + 1, 3), image(20 * MiB, 4)]),
      ]);
      const { experimentId, result } = await stage.client.upload(large.logdir, '--verbose', '0');
      expect(textOf(result)).toMatch(/notes.*too large|too large.*notes/is);
      expect(textOf(result)).toMatch(/Blob too large; skipping/);
      await stage.visible(experimentId);
      const stored = (await readExperiment(stage.service, experimentId)).get('.')!;
      const notes = stored.get('notes')!.tensors;
      expect(notes.map(({ step }) => Number(step))).toEqual([0, 2, 3]);
      expect(notes[2]!.data.length).toBeGreaterThan(8 * MiB - 101);
      const digits = stored
        .get('digits')!
        .blobSequences.map(({ step, blobs }) => [Number(step), ...blobs.slice(2).map((blob) => [blob.length, blob[0]])]);
      expect(digits).toEqual([
        [0, [12 * MiB, 1], [11 * MiB, 2]],
        [1, [0, undefined]],
        [2, [20 * MiB, 4]],
      ]);
    } finally {
      await large.dispose();
    }
  });

  it.each([
    ['1.15.0', 1, /too old to upload/],
    ['2.4.1', 0, /Warning \[from server\].*does not send texts/],
    ['2.15.0', 0, null],
  ] as const)('a TensorBoard of version %s gets a message that says whether it works here', async (version, code, words) => {
    const small = await TrainingLog.make();
    try {
      await small.begin('train', scalars(0, 1));
      const result = await stage.client.runAs(version, 'upload', '--logdir', small.logdir, '--one_shot');
      expect(result.code, textOf(result)).toBe(code);
      if (words) expect(textOf(result)).toMatch(words);
      else expect(textOf(result)).not.toMatch(/from server/);
    } finally {
      await small.dispose();
    }
  });

  it('gets a message if its experiment is deleted meanwhile, and exits cleanly', async () => {
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
      expect([result.code, /was deleted/.test(textOf(result))], textOf(result)).toEqual([0, true]);
    } finally {
      await live.dispose();
    }
  });

  it('explains why a stranger is rejected', async () => {
    const stranger = await StockClient.make(stage.service.url, 'plt_nobody');
    try {
      const result = await stranger.run('upload', '--logdir', log.logdir, '--one_shot');
      expect(result.code).toBe(1);
      expect(textOf(result)).toContain('UNAUTHENTICATED');
    } finally {
      await stranger.dispose();
    }
  });

  it('rejects names that are too long before it creates anything', async () => {
    const result = await stage.client.run('upload', '--logdir', log.logdir, '--one_shot', '--name', 'n'.repeat(101));
    expect(result.code).not.toBe(0);
  });
});
