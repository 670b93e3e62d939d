import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import type { CliResult } from '../e2e/service.ts';
import { Stage } from './stage.ts';
import { stockProgram, walledIn } from './stock-client.ts';
import { images, TrainingLog } from './training-log.ts';

/** Stock TensorBoard, started by `plotline tensorboard`. */
interface Shown {
  readonly origin: string;
  status(path: string): Promise<{ status: number; text: string }>;
  json<T>(path: string): Promise<T>;
  /** Stops it like Ctrl-C. */
  stop(): Promise<CliResult>;
}

describeWith(['tensorboard'], 'stock TensorBoard started by plotline tensorboard', () => {
  let stage: Stage;
  let log: TrainingLog;
  let id: string;
  let otherId: string;
  beforeAll(async () => {
    stage = await Stage.start();
    log = await TrainingLog.make();
    await log.begin('train', [
      ...Array.from({ length: 50 }, (_, step) => ({ step, wallTime: 1_700_000_000 + step, scalars: { loss: 1 / (step + 1), acc: step } })),
      ...images('eye', [new Uint8Array([1, 2, 3])]),
    ]);
    id = await stage.uploadNatively(log.logdir);
    otherId = await stage.uploadNatively(log.logdir);
    await stage.visible(id);
  });
  afterAll(async () => {
    await log?.dispose();
    await stage?.dispose();
  });

  async function show(target: string, settings: NodeJS.ProcessEnv = {}): Promise<Shown> {
    const env = walledIn(stage.client.home);
    const path = `${dirname(stockProgram('viewer', 'tensorboard'))}:${process.env.PATH}`;
    const running = stage.cli.spawn(['tensorboard', target, '--port', '0', '--', '--host', '127.0.0.1'], {
      ...env,
      PATH: path,
      ...settings,
    });
    const origin = await new Promise<string>((resolve, reject) => {
      let output = '';
      running.child.stderr!.on('data', (piece: Buffer | string) => {
        output += String(piece);
        const found = /TensorBoard \S+ at (http:\/\/127\.0\.0\.1:\d+)/.exec(output);
        if (found) resolve(found[1]!);
      });
      running.ended.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    const status = async (path_: string): Promise<{ status: number; text: string }> => {
      const response = await fetch(`${origin}${path_}`);
      return { status: response.status, text: await response.text() };
    };
    return {
      origin,
      status,
      json: async <T>(path_: string) => JSON.parse((await status(path_)).text) as T,
      stop: () => {
        running.child.kill('SIGINT');
        return running.ended;
      },
    };
  }

  it('shows the experiment at /, where the page requests two other names, and at its own name', async () => {
    const shown = await show(id);
    for (const root of ['', '/experiment/defaultExperimentId', `/experiment/${id}`]) {
      expect(await shown.json(`${root}/data/runs`)).toEqual(['train']);
      expect(await shown.json(`${root}/data/plugin/timeseries/tags`)).toMatchObject({
        scalars: { runTagInfo: { train: ['acc', 'loss'] } },
      });
    }
    const loss = await shown.json<number[][]>('/data/plugin/scalars/scalars?run=train&tag=loss');
    expect(loss).toEqual(Array.from({ length: 50 }, (_, step) => [1_700_000_000 + step, step, Math.fround(1 / (step + 1))]));
    const environment = await shown.json<{ data_location: string }>('/data/environment');
    expect(environment.data_location).toBe(`${stage.service.url}/e/${id}`);
    const [{ query }] = await shown.json<[{ query: string }]>('/data/plugin/images/images?run=train&tag=eye&sample=0');
    expect(
      (await fetch(`${shown.origin}/data/plugin/images/individualImage?${query}`).then((response) => response.bytes())).toString(),
    ).toBe('1,2,3');
    const plugins = await shown.json<Record<string, { enabled: boolean }>>('/data/plugins_listing');
    expect(Object.keys(plugins).filter((name) => plugins[name]!.enabled)).toEqual(['timeseries', 'scalars', 'images']);
    expect((await shown.stop()).code).toBe(0);
    await expect(fetch(shown.origin)).rejects.toThrow('fetch failed');
  });

  it('shows no other experiment, even if the token could read it', async () => {
    const shown = await show(id);
    for (const other of [otherId, 'X'])
      for (const path of ['data/runs', 'data/plugin/scalars/tags', 'data/plugins_listing'])
        expect(await shown.status(`/experiment/${other}/${path}`)).toEqual({
          status: 404,
          text: expect.stringContaining('shows one experiment'),
        });
    await shown.stop();
  });

  it('shows what a link shows, and reports when the link expires', async () => {
    const { id: link, url } = await stage.cli.json<{ id: string; url: string }>('share', id, '--tag', 'loss');
    const shown = await show(url, { PLOTLINE_DATA_DIR: log.logdir });
    expect(await shown.json('/data/plugin/scalars/tags')).toEqual({ train: { loss: expect.anything() } });
    await stage.cli.run('unshare', link);
    await expect.poll(() => shown.status('/data/runs'), { timeout: 30_000, interval: 200 }).toMatchObject({ status: 403 });
    expect((await shown.stop()).code).toBe(0);
  });

  it('follows a training run, and waits while the service restarts', async () => {
    const shown = await show(id);
    await log.append('train', [{ step: 50, wallTime: 1_700_000_050, scalars: { loss: 7 } }]);
    await stage.cli.run('upload', '--logdir', log.logdir, '--one-shot', '--experiment', id);
    const last = async () => (await shown.json<number[][]>('/data/plugin/scalars/scalars?run=train&tag=loss')).at(-1);
    expect(await last()).toEqual([1_700_000_050, 50, 7]);
    await stage.service.signal('SIGTERM');
    const waiting = last();
    await stage.service.start();
    expect(await waiting).toEqual([1_700_000_050, 50, 7]);
    await shown.stop();
  });
});
