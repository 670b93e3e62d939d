import { describe, expect, it } from 'vitest';
import { OutageLog } from './outage-log.ts';

describe('OutageLog', () => {
  it('says the first of a kind at once, and the others together ten seconds later', () => {
    let now = 0;
    const log = new OutageLog(() => now);
    const said: [string, number][] = [];
    const hear = (kind: string): void => log.hear(kind, (earlier) => said.push([kind, earlier]));
    for (; now < 10_000; now += 100) hear('a');
    hear('b');
    expect(said).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
    hear('a');
    expect(said.at(-1)).toEqual(['a', 99]);
    now += 60_000;
    hear('a');
    expect(said.at(-1)).toEqual(['a', 0]);
  });
});
