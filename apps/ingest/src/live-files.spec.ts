import { expect, it } from 'vitest';
import { experimentIdOf, fileIdOf, runIdOf, tenantIdOf } from '#model/testing';
import type { FileToJoin } from '#store';
import { seededRandom } from '#model';
import type { IngestDone } from './ingest-run/ingest-run.ts';
import { LiveFiles } from './live-files.ts';

const job = {
  tenantId: tenantIdOf('00000000-0000-4000-8000-000000000001'),
  experimentId: experimentIdOf('e'.repeat(22)),
  runId: runIdOf('1'),
};
const done = (...segments: [string, number][]): IngestDone => ({
  outcome: 'idle',
  committed: { points: 1, bytes: 1, rollUp: false, lost: [], segments: segments.map(([file, count]) => [fileIdOf(file), count]) },
});

/** Ingests the given runs. Joins files one by one, when the test requests it. */
class Runner {
  next = done();
  readonly asked: string[] = [];
  readonly #joins: PromiseWithResolvers<void>[] = [];

  run = (): Promise<IngestDone> => Promise.resolve(this.next);
  rollUp = () => Promise.resolve('done' as const);
  joinSegments = ({ fileId }: FileToJoin): Promise<void> => {
    this.asked.push(fileId);
    this.#joins.push(Promise.withResolvers<void>());
    return this.#joins.at(-1)!.promise;
  };

  /** Ends the running join that started first. */
  async end(error?: Error): Promise<void> {
    const { resolve, reject } = this.#joins.shift()!;
    if (error) reject(error);
    else resolve();
    await nextTurn();
  }
}

const always = () => Promise.resolve(true);
const unexpected = (error: unknown) => expect.unreachable(String(error));
const nextTurn = () => new Promise((next) => setImmediate(next));

it('looks at files about once for each 256 of their segments, however few a job settles', async () => {
  for (const perJob of [1, 8, 64]) {
    const runner = new Runner();
    runner.joinSegments = ({ fileId }) => Promise.resolve(void runner.asked.push(fileId));
    const files = new LiveFiles(runner, { hasSegmentsToJoin: always, onError: unexpected, random: seededRandom(perJob) });
    runner.next = done(['7', perJob]);
    for (let settled = 0; settled < 256 * 100; settled += perJob) {
      await files.run(job);
      await nextTurn();
    }
    expect(runner.asked.length).toBeGreaterThan(70);
    expect(runner.asked.length).toBeLessThan(130);
  }
});

it('joins one file at a time, each once, and the others even if one fails', async () => {
  const runner = new Runner();
  const errors: unknown[] = [];
  const files = new LiveFiles(runner, { hasSegmentsToJoin: always, onError: (error) => errors.push(error), random: () => 0 });
  runner.next = done(['1', 1], ['2', 1], ['3', 0]);
  await files.run(job);
  await files.run(job);
  expect(runner.asked).toEqual(['1']);
  const failure = new Error('the object store is down');
  await runner.end(failure);
  expect(runner.asked).toEqual(['1', '2']);
  await runner.end();
  expect(runner.asked).toEqual(['1', '2', '1']); // its segments from the second job arrived in the meantime
  await runner.end();
  expect(runner.asked).toHaveLength(3);
  expect(errors).toEqual([failure]);
});

it('starts no thread for a file without segments to join, and reports a failed check', async () => {
  const runner = new Runner();
  const errors: unknown[] = [];
  const failure = new Error('the database is down');
  const hasSegmentsToJoin = ({ fileId }: FileToJoin) => (fileId === '2' ? Promise.reject(failure) : Promise.resolve(fileId === '3'));
  const files = new LiveFiles(runner, { hasSegmentsToJoin, onError: (error) => errors.push(error), random: () => 0 });
  runner.next = done(['1', 1], ['2', 1], ['3', 1]);
  await files.run(job);
  await nextTurn();
  expect(runner.asked).toEqual(['3']);
  expect(errors).toEqual([failure]);
  await runner.end();
});

it('starts nothing more when it is closed, and waits for the file at hand', async () => {
  const runner = new Runner();
  const files = new LiveFiles(runner, { hasSegmentsToJoin: always, onError: unexpected, random: () => 0 });
  runner.next = done(['1', 1], ['2', 1]);
  await files.run(job);
  let closed = false;
  const closing = files.close().then(() => (closed = true));
  await files.run(job);
  await nextTurn();
  expect(closed).toBe(false);
  await runner.end();
  await closing;
  expect(runner.asked).toEqual(['1']);
});
