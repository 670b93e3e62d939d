import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { logDirectory, logDirectoryNames, type LogDirectoryName } from '../logs/log-directories.ts';
import { explain, type Via } from './explain-differences.ts';
import { differences } from './shown-differences.ts';
import { everyPoint, everything, type Shown } from './shown.ts';
import { Stage } from './stage.ts';
import { textOf } from './stock-client.ts';
import { StockViewer } from './stock-viewer.ts';
import { uploaderFaults } from './uploader-faults.ts';

/*
 * Each real log directory is shown in three ways: read directly by stock TensorBoard (with its data
 * server and default settings), uploaded by our CLI, and uploaded by the stock uploader. Stock
 * TensorBoard shows the last two through the bridge. TensorBoard's API must return the same for all
 * three.
 */
describeWith(['tensorboard'], 'stock TensorBoard shows', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterAll(() => stage?.dispose());

  /** Returns an experiment as TensorBoard shows it. */
  const shownOf = async (experimentId: string): Promise<Shown> => {
    await stage.visible(experimentId);
    const viewer = await stage.view(experimentId, everyPoint);
    try {
      return await everything(viewer);
    } finally {
      await viewer.stop();
    }
  };

  describe.each(logDirectoryNames)('%s', (name) => {
    let direct: Shown;

    const compare = async (via: Via, experimentId: string): Promise<void> => {
      const found = differences(direct, await shownOf(experimentId));
      expect((await explain(name, via, found)).unexplained).toEqual([]);
    };

    beforeAll(async () => {
      direct = await readDirectly(name);
    });

    it('its own fault, if it has one', () => {
      // Texts that are not UTF-8: TensorBoard's server fails with a UnicodeDecodeError for any data
      // source.
      expect(direct.faults.map((fault) => fault.slice(-'alpha/not utf-8'.length))).toEqual(direct.faults.map(() => 'alpha/not utf-8'));
      expect(direct.faults.length > 0).toBe(name === 'tf2_summaries' || name === 'damaged');
    });

    it('the same series for a native upload and for the directory', async () => {
      await compare('native', await stage.uploadNatively(await logDirectory(name)));
    });

    it('the same series for a stock upload and for the directory', async () => {
      const { ends, drops } = uploaderFaults[name];
      let logdir = await logDirectory(name);
      if (ends !== null) {
        const dies = await stage.client.run('upload', '--logdir', logdir, '--one_shot');
        expect([dies.code, ends.message.test(textOf(dies))], textOf(dies)).toEqual([1, true]);
        logdir = await copyWithout(logdir, ends.folder);
      }
      const result = await stage.client.run('upload', '--logdir', logdir, '--one_shot');
      const text = textOf(result);
      if (ends !== null) await rm(logdir, { recursive: true });
      expect(result.code, text).toBe(0);
      for (const { message } of drops) expect(text).toMatch(message);
      const [, experimentId] = /\/e\/([A-Za-z0-9]{22})/.exec(text)!;
      await compare('stock', experimentId!);
    });
  });
});

/** Copies a directory without one of its folders. */
async function copyWithout(logdir: string, folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'plotline-without-'));
  await cp(logdir, copy, { recursive: true });
  await rm(join(copy, folder), { recursive: true });
  return copy;
}

/**
 * The data server loads in the background without a signal at the end: it counts as done when its
 * data has not changed for four polls, half a second apart.
 */
async function readDirectly(name: LogDirectoryName): Promise<Shown> {
  const viewer = await StockViewer.start([
    '--logdir',
    await logDirectory(name),
    '--load_fast',
    'true',
    '--reload_interval',
    '0',
    ...everyPoint,
  ]);
  try {
    let before = await everything(viewer);
    for (let alike = 0; alike < 4;) {
      await sleep(500);
      const now = await everything(viewer);
      alike = now.runs.length > 0 && differences(before, now).length === 0 ? alike + 1 : 0;
      before = now;
    }
    return before;
  } finally {
    await viewer.stop();
  }
}
