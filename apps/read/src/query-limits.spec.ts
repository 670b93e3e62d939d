import { describe, expect, it } from 'vitest';
import { limits } from '#model';
import { anyOf, labels, lookUpName, waitSeconds } from './query-schemas.ts';
import { scalarsQuery } from './scalars/scalars-query.ts';

describe('numbers at a limit', () => {
  it.each<[string, (value: number) => unknown, number]>([
    ['points of a series', (points) => scalarsQuery.parse({ points }).points, limits.maxBuckets],
    ['points of a page', (page_size) => scalarsQuery.parse({ page_size }).page_size, limits.maxPointsPageSize],
    ['seconds to wait', (seconds) => waitSeconds.parse(seconds), limits.maxWaitSeconds],
  ])('%s: a larger number is lowered to the limit', (_, of, max) => {
    expect([max - 1, max, max + 1].map(of)).toEqual([max - 1, max, max]);
  });

  it('has the documented defaults', () => {
    expect(scalarsQuery.parse({})).toMatchObject({ points: limits.defaultBuckets, page_size: limits.defaultPointsPageSize });
  });
});

describe('lists and names at a limit', () => {
  it.each<[string, (value: unknown) => { readonly success: boolean }, (size: number) => unknown, number]>([
    [
      'tags of a query',
      (tags) => scalarsQuery.safeParse({ tags }),
      (size) => Array.from({ length: size }, () => 'x'),
      limits.maxNamesPerQuery,
    ],
    [
      'runs of a query',
      (runs) => scalarsQuery.safeParse({ runs }),
      (size) => Array.from({ length: size }, () => 'x'),
      limits.maxNamesPerQuery,
    ],
    ['names in an address', (names) => anyOf.safeParse(names), (size) => Array.from({ length: size }, () => 'x'), limits.maxNamesPerQuery],
    ['a name', (name) => lookUpName.safeParse(name), (size) => 'x'.repeat(size), limits.maxTagBytes],
    ['labels', (list) => labels.safeParse(list), (size) => Array.from({ length: size }, (_, i) => `l${i}`), limits.maxLabels],
  ])('%s: as many as the limit, and not one more', (_, parse, of, max) => {
    expect([parse(of(max)).success, parse(of(max + 1)).success]).toEqual([true, false]);
  });
});
