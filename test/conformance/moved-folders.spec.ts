import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { isUnknownTool, move, MovedLogs, unknownEnd, withoutCopies } from '../../apps/cli/src/testing/moved-logs.ts';
import { TestHost } from '../../apps/cli/src/testing/test-host.ts';
import { WatchedFolder } from '../../apps/cli/src/testing/watched-folder.ts';
import { readExperiment } from '../e2e/rest-run.ts';
import { Service } from '../e2e/service.ts';
import { readWriters, supersededOf } from '../logs/writers-of-run.ts';
import { whenVisible } from './stage.ts';
import { StockReader, type StockScalar } from './stock-reader.ts';

/** `MOVED_FOLDERS=2000` runs more cases than by default. */
const cases = Number(process.env.MOVED_FOLDERS ?? 20);

const lineOf = (point: StockScalar): string => JSON.stringify(point);

/**
 * Returns the points of a folder's files that are effective by data rule 2, according to a slow
 * reference implementation.
 */
async function effectiveOf(folder: string, names: readonly string[]): Promise<string[]> {
  const paths = names.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => join(folder, name));
  const run = await readWriters(paths);
  return [...run.parsed.series].flatMap(([tag, series]) => {
    const superseded = supersededOf(run, series);
    return series.scalars.flatMap(({ step, wallTime, value }, i) => (superseded[i] ? [] : [lineOf([tag, Number(step), wallTime, value])]));
  });
}

describeWith(['tensorboard'], 'a watched folder that tools move', () => {
  let service: Service;
  let home: string;
  let stock: StockReader;

  beforeAll(async () => {
    service = await Service.start({ processes: 'embedded' });
    home = await mkdtemp(join(tmpdir(), 'plotline-moved-'));
    stock = new StockReader(home);
  });
  afterAll(async () => {
    stock?.stop();
    await service?.dispose();
    await rm(home, { recursive: true, force: true });
  });

  /** Returns the service's points of an experiment, and whether later points supersede them. */
  async function stored(experimentId: string): Promise<{ readonly point: string; readonly superseded: boolean }[]> {
    await whenVisible(service, experimentId);
    return [...(await readExperiment(service, experimentId)).values()].flatMap((tags) =>
      [...tags].flatMap(([tag, { scalars, superseded }]) =>
        scalars.map(({ step, wallTime, value }, i) => ({
          point: lineOf([tag, Number(step), wallTime, value]),
          superseded: superseded[i]!,
        })),
      ),
    );
  }

  it(
    `finally has the points that stock TensorBoard reads from its logs, and verify agrees (${cases} cases)`,
    { timeout: 60_000 + cases * 10_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 8 }), async (moves) => {
          const host = new TestHost({ PLOTLINE_SERVER: service.url, PLOTLINE_TOKEN: await service.token() });
          const { id } = await service.json<{ id: string }>('/experiments', { name: 'moved' });
          const logs = new WatchedFolder(host, id);
          try {
            const moved = new MovedLogs(logs);
            for (const one of moves) await moved.make(one);
            await logs.look(32, 5000);
            // A temporary file that was mistaken for a log may be gone before it is read.
            expect([...logs.uploader.failed.keys()].filter((label) => !label.endsWith(unknownEnd))).toEqual([]);

            const names = await readdir(logs.folder);
            const files = new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(logs.folder, name))] as const)));
            const missing: string[] = [];
            // Effective points first, because a superseded point may equal a point of the file that
            // replaced its file.
            const all = await stored(id);
            const there = all.toSorted((a, b) => Number(a.superseded) - Number(b.superseded));
            for (const name of Object.keys(withoutCopies(files))) {
              for (const point of (await stock.read(join(logs.folder, name))).map(lineOf)) {
                const at = there.findIndex((one) => one.point === point);
                if (at < 0) missing.push(point);
                else there.splice(at, 1);
              }
            }
            expect(missing).toEqual([]);
            // The remaining points were in files before they were rewritten, and are superseded.
            expect(there.filter(({ superseded }) => !superseded)).toEqual([]);
            const effective = all.filter(({ superseded }) => !superseded).map(({ point }) => point);
            expect(effective.sort()).toEqual((await effectiveOf(logs.folder, names)).sort());
            // `verify` reports a temporary file that was uploaded and is gone.
            if (moves.some(isUnknownTool)) return;
            const { exitCode, stdout, stderr } = await host.run(['verify', id, '--logdir', logs.folder]);
            expect(exitCode, stdout + stderr).toBe(0);
          } finally {
            logs.close();
            host.remove();
          }
        }),
        { numRuns: cases, endOnFailure: true },
      );
    },
  );
});
