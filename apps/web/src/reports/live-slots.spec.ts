import { expect, it } from 'vitest';
import { LiveSlots } from './live-slots.ts';

it('the first three experiments of a report get a stream, the others are polled, by one block each', () => {
  const slots = new LiveSlots();
  expect(['a', 'b', 'a', 'c', 'd', 'e', 'd'].map((id) => slots.claim(id))).toEqual([
    'stream',
    'stream',
    null,
    'stream',
    'poll',
    'poll',
    null,
  ]);
  slots.release('b');
  slots.release('d');
  expect(['d', 'b'].map((id) => slots.claim(id))).toEqual(['stream', 'poll']);
});
