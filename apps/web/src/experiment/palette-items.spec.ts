import { describe, expect, it } from 'vitest';
import { listedRun, listedTag } from '../api/testing/listed.ts';
import { matchingItems } from '../app/palette-items.ts';
import { experimentItems } from './palette-items.ts';

const tokens = { name: 'Access tokens', kind: 'go to', place: { name: 'Access tokens', path: '/tokens' } };
const items = experimentItems(
  { tags: [listedTag('train/loss'), listedTag('val/loss')], runs: [listedRun('lr=1'), listedRun('lossless')], compared: [] },
  ['share'],
  [tokens],
);

describe('the command palette', () => {
  it('finds charts, runs and actions by their words', () => {
    expect(matchingItems(items, 'loss').map(({ name }) => name)).toEqual(['lossless', 'train/loss', 'val/loss']);
    expect(matchingItems(items, 'chart val').map(({ change }) => change)).toEqual([{ tab: 'scalars', card: 'val/loss' }]);
    expect(matchingItems(items, 'zoom').map(({ change }) => change)).toEqual([{ range: null, yRanges: [] }]);
    expect(matchingItems(items, 'no such thing')).toEqual([]);
  });

  it('goes to the logs if there are any', () => {
    const content = { tags: [listedTag('train/loss')], runs: [listedRun('a')], compared: [] };
    const found = (hasLogs: boolean) =>
      matchingItems(experimentItems(content, [], [], undefined, hasLogs), 'logs').map(({ change }) => change);
    expect(found(true)).toEqual([{ tab: 'logs', card: null }]);
    expect(found(false)).toEqual([]);
  });

  it('links to other pages, and to the actions of this one', () => {
    expect(matchingItems(items, 'go tokens').map(({ place }) => place?.path)).toEqual(['/tokens']);
    expect(matchingItems(items, 'share').map(({ action }) => action)).toEqual(['share']);
    expect(matchingItems(items, 'notes')).toEqual([]);
  });

  it('is never longer than is readable', () => {
    expect(
      matchingItems(
        Array.from({ length: 5000 }, (_, i) => ({ name: `t${i}`, kind: 'chart' })),
        '',
      ),
    ).toHaveLength(50);
  });
});
