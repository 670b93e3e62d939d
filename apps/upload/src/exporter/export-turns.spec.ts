import { expect, it } from 'vitest';
import { ExportTurns } from './export-turns.ts';

const never = new AbortController().signal;

it('lets so many in, and the others in the order in which they came', async () => {
  const turns = new ExportTurns(2);
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const come = (name: string): Promise<void> =>
    turns.take(never).then((end) => {
      order.push(name);
      ends.push(end);
    });
  const [, , third, fourth] = ['a', 'b', 'c', 'd'].map(come);
  await new Promise(setImmediate);
  expect(order).toEqual(['a', 'b']);
  ends[0]!();
  await third;
  ends[1]!();
  await fourth;
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

it('forgets who went away', async () => {
  const turns = new ExportTurns(1);
  const end = await turns.take(never);
  const gone = new AbortController();
  const waiting = turns.take(gone.signal);
  const next = turns.take(never);
  gone.abort();
  await expect(waiting).rejects.toThrow(/abort/i);
  end();
  (await next)();
  (await turns.take(never))();
});
