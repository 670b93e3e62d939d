import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { AckLog } from './ack-log.ts';
import { VisibilityWatch } from './visibility.ts';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of clean.splice(0).toReversed()) await step();
});

/**
 * Starts a watch over an experiment with the frontier that `frontier` returns, and the watch's log.
 */
async function watching(frontier: () => number): Promise<{ watch: VisibilityWatch; acknowledge: (epoch: number) => void }> {
  const server = createServer((_, response) => response.end(JSON.stringify({ epoch: frontier(), acknowledged_epoch: 9 })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  clean.push(() => new Promise((resolve) => server.close(resolve)));
  const log = new AckLog();
  const watch = new VisibilityWatch({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'x' }, log);
  watch.watch('e');
  watch.belongs({ fileId: '7', experimentId: 'e' });
  const common = { fileId: '7', offset: 0, length: 1, sha256: '', outcome: 'ok', status: 204, durableOffset: 1, retryAfter: null } as const;
  const acknowledge = (epoch: number): void => log.add({ ...common, epoch, sentAt: performance.now(), at: Date.now(), tookMs: 1 });
  return { watch, acknowledge };
}

it('counts what never became visible as infinitely late, and as a violation', async () => {
  const { watch, acknowledge } = await watching(() => 2);
  for (const epoch of [1, 2, 3]) acknowledge(epoch);
  await watch.stop();
  const delays = watch.delays();
  expect(delays.slice(0, 2).every((delay) => delay < 10_000)).toBe(true);
  expect(delays.slice(2)).toEqual([Infinity]);
  expect(watch.violations).toEqual([{ kind: 'never-visible', detail: 'experiment e: epoch 3 was acknowledged, at last 2 was seen' }]);
});

it('polls a last time when it is stopped', async () => {
  let epoch = 0;
  const { watch, acknowledge } = await watching(() => epoch);
  acknowledge(1);
  epoch = 1;
  await watch.stop();
  expect(watch.delays()).toHaveLength(1);
  expect(watch.delays()[0]).toBeLessThan(10_000);
  expect(watch.violations).toEqual([]);
});

it('detects a frontier that moves back', async () => {
  let looks = 0;
  const { watch, acknowledge } = await watching(() => (looks++ === 0 ? 2 : 1));
  acknowledge(9);
  await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
  await watch.stop();
  expect(watch.violations.map(({ kind }) => kind)).toContain('visible-too-early');
});
