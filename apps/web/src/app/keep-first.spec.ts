import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { ExperimentJson } from '../api/types.ts';
import { experimentsKey } from '../home/experiments-key.ts';
import { plainHome } from '../home/home-view.ts';
import { keepFirst } from './keep-first.ts';
import type { PageData } from './page-data.ts';

const page = { base: '', server: '', reader: null };
const experiment = { id: 'a' } as ExperimentJson;

it('keeps the data that a page arrived with, and only complete lists', () => {
  const client = new QueryClient();
  keepFirst(client, { ...page, experiment: { experiment, runs: [], tags: null, problems: 0, cited: false } });
  expect(client.getQueryData(['experiment', 'a'])).toBe(experiment);
  expect(client.getQueryData(['runs', 'a'])).toEqual([]);
  expect(client.getQueryState(['tags', 'a'])).toBeUndefined();
  client.clear();
});

it.each([
  ['next', 'next'],
  [null, undefined],
])('keeps the list of experiments, and its next page: %s', (next, token) => {
  const client = new QueryClient();
  keepFirst(client, {
    ...page,
    experiments: { experiments: [experiment], next, at: new Date(Date.now() + 90_000).toISOString() },
  } satisfies PageData);
  expect(client.getQueryData(experimentsKey(plainHome))).toEqual({
    pages: [{ experiments: [experiment], next_page_token: token, ahead: expect.closeTo(90_000, -4) }],
    pageParams: [''],
  });
  client.clear();
});
