import { afterEach, expect, it } from 'vitest';
import { becomeCaller, ClientGone, endWithClient, runForStranger } from '#admission';
import { PngRenderer } from './png-renderer.ts';

const svg = (size: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><circle cx="50" cy="50" r="40" fill="red"/></svg>`;

let renderer: PngRenderer;
afterEach(() => renderer.onApplicationShutdown());

const asMember = <T>(account: string, work: () => T): T =>
  runForStranger('192.0.2.1', () => {
    becomeCaller(account, 'member');
    return work();
  });

it('draws for others while one share requests many large images', async () => {
  renderer = new PngRenderer();
  await asMember('loud', () => renderer.render(svg(10), 1));
  let drawn = 0;
  const loud = Array.from({ length: 12 }, () =>
    asMember('loud', async () => {
      await renderer.render(svg(1_300), 3);
      drawn++;
    }),
  );
  const quiet = await asMember('quiet', () => renderer.render(svg(100), 1));
  expect(quiet.toString('latin1', 1, 4)).toBe('PNG');
  expect(drawn).toBeLessThan(12);
  await asMember('quiet', () => renderer.render(svg(100), 1));
  expect(drawn).toBeLessThan(12);
  await Promise.allSettled(loud); // the last of them may have timed out
});

it('draws for two others while one share requests sixty of the largest images, and rejects only those', async () => {
  renderer = new PngRenderer();
  const canceled: (() => void)[] = [];
  const client = { isGone: false, onGone: (listener: () => void) => (canceled.push(listener), () => undefined) };
  const loud = Array.from({ length: 60 }, () =>
    runForStranger(
      '192.0.2.1',
      () => {
        becomeCaller('loud', 'member');
        endWithClient();
        return renderer.render(svg(2_000), 2); // 16 million pixels
      },
      client,
    ),
  );
  const outcomes = Promise.allSettled(loud);
  for (let i = 0; i < 3; i++)
    for (const name of ['quiet', 'calm'])
      expect((await asMember(name, () => renderer.render(svg(100), 1))).toString('latin1', 1, 4)).toBe('PNG');
  // Waiting pictures are dropped when their client disconnects
  for (const cancel of canceled) cancel();
  const reasons = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  expect(reasons.length).toBeGreaterThan(0);
  for (const reason of reasons) expect(reason instanceof ClientGone || (reason as { code?: string }).code === 'rate-limited').toBe(true);
});

it('ends idle threads and frees their memory', async () => {
  renderer = new PngRenderer();
  renderer.keepMs = 50;
  await renderer.render(svg(10), 1);
  expect(renderer.threads).toBe(1);
  await expect.poll(() => renderer.threads).toBe(0);
  expect((await renderer.render(svg(10), 1)).toString('latin1', 1, 4)).toBe('PNG');
});

it('continues with another thread after one that could not draw', async () => {
  renderer = new PngRenderer();
  await expect(renderer.render('<svg', 1)).rejects.toThrow('could not be drawn');
  expect((await renderer.render(svg(10), 1)).toString('latin1', 1, 4)).toBe('PNG');
});
