import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { plainView } from '#charts';
import { listedRun, listedTag } from '../api/testing/listed.ts';
import type { ExperimentJson } from '../api/types.ts';
import type { PageData } from '../app/page-data.ts';
import { askFirst } from './ask-first.ts';
import { tagsInView } from './card-rows.ts';

afterEach(() => vi.unstubAllGlobals());

/** The query keys of the requests, in a window of 1600 × 1000. */
function askedFor(search: string, runs = 70): unknown[] {
  vi.stubGlobal('innerWidth', 1600);
  vi.stubGlobal('innerHeight', 1000);
  vi.stubGlobal('fetch', () => new Promise(() => undefined)); // never answered
  const client = new QueryClient();
  const list = Array.from({ length: runs }, (_, i) => listedRun(`r${String(i).padStart(2, '0')}`, { archived: i === 0 }));
  const tags = [listedTag('loss'), listedTag('text', { data_class: 'tensor' })];
  const experiment = { id: 'E' } as ExperimentJson;
  askFirst(client, { base: '', experiment: { experiment, runs: list, tags } } as unknown as PageData, search);
  const keys = client
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey);
  client.clear();
  return keys;
}

it('requests the scalars of the cards in view, over all steps', () => {
  expect(askedFor('')).toEqual([['scalars', 'E', 'loss', null, null, 347, [], 0.6, 'linear', null, false]]);
  expect(askedFor('?tagFilter=acc')).toEqual([]);
  expect(askedFor('?tagFilter=(')).toEqual([]); // which is not a valid expression
});

it('requests only the shown runs if they are few of many, like the cards', () => {
  const only = askedFor('?run=r03&run=r01');
  expect(only).toEqual([['scalars', 'E', 'loss', null, ['r01', 'r03'], 400, [], 0.6, 'linear', null, false]]);
  expect(askedFor('?runFilter=r0[13]')).toEqual(only);
});

it.each(['?tab=images', '?card=loss', '?compare=AAAAAAAAAAAAAAAAAAAAAA', '?where=m%253Aloss%20%3E%200'])(
  'leaves special cases to the cards: %s',
  (search) => {
    expect(askedFor(search)).toEqual([]);
  },
);

it('estimates the cards that a window shows: small groups share a row', () => {
  const apart = Array.from({ length: 12 }, (_, i) => listedTag(`g${String(i).padStart(2, '0')}/loss`));
  expect(tagsInView(apart, plainView, 1600, 1000)).toEqual(apart.slice(0, 9).map((one) => one.tag));
  const together = Array.from({ length: 30 }, (_, i) => listedTag(`g/${String(i).padStart(2, '0')}`));
  expect(tagsInView(together, plainView, 1600, 1000)).toHaveLength(12);
  expect(tagsInView(together, plainView, 390, 800)).toHaveLength(3);
});
