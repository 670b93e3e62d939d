import { expect, it } from 'vitest';
import { ahead } from './ahead.ts';

/** Manually controlled reads: each finishes when the test decides. */
function byHand() {
  const started: number[] = [];
  const reads = new Map<number, PromiseWithResolvers<string>>();
  const read = (one: number): Promise<string> => {
    started.push(one);
    const made = Promise.withResolvers<string>();
    reads.set(one, made);
    return made.promise;
  };
  return { started, reads, read };
}

it('yields in order, and starts the next read before the consumer works on one', async () => {
  const { started, reads, read } = byHand();
  const all = ahead([1, 2, 3], read);
  const first = all.next();
  expect(started).toEqual([1]);
  reads.get(1)!.resolve('one');
  expect(await first).toEqual({ done: false, value: 'one' });
  expect(started).toEqual([1, 2]);
  const second = all.next();
  reads.get(2)!.resolve('two');
  expect(await second).toEqual({ done: false, value: 'two' });
  reads.get(3)!.resolve('three');
  expect(await all.next()).toEqual({ done: false, value: 'three' });
  expect(await all.next()).toMatchObject({ done: true });
  expect(await ahead([], read).next()).toMatchObject({ done: true });
});

it('ends only after the reads it started, however the consumer ends', async () => {
  const { reads, read } = byHand();
  const ended: string[] = [];
  const work = (async () => {
    for await (const one of ahead([1, 2], read)) throw new Error(one);
  })().catch(({ message }: Error) => ended.push(message));
  reads.get(1)!.resolve('broken');
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(ended).toEqual([]); // 2 is still being read
  reads.get(2)!.reject(new Error('nobody awaits it'));
  await work;
  expect(ended).toEqual(['broken']);
});

it('throws the error of a read at its position', async () => {
  const { reads, read } = byHand();
  const all = ahead([1, 2], read);
  const first = all.next();
  reads.get(1)!.resolve('one');
  await first;
  reads.get(2)!.reject(new Error('gone'));
  await expect(all.next()).rejects.toThrow('gone');
});
