import { expect, it } from 'vitest';
import type { Api } from '../api/api.ts';
import { readSuperseded } from './superseded-points.ts';

type PageSeries = readonly [run: string, step: readonly number[], superseded: readonly boolean[]];

/**
 * A service with this many superseded points in each run. It returns one page after another (if
 * there is only one, it repeats that page). `asked` records the requests.
 */
function fakeApi(superseded: Record<string, number>, pages: readonly (readonly PageSeries[])[]) {
  const asked: Record<string, unknown>[] = [];
  const list = async () => Object.entries(superseded).map(([run, points]) => ({ run, data_class: 'scalar', superseded_points: points }));
  const query = async (_path: string, body: Record<string, unknown>) => {
    const at = asked.push(body) - 1;
    const series = pages[at % pages.length]!.map(([run, step, flags]) => ({ run, tag: 't', columns: { step, superseded: flags } }));
    return { series, ...((at + 1 < pages.length || pages.length === 1) && { next_page_token: `p${at + 1}` }) };
  };
  const api = { list, query } as unknown as Api;
  const read = (runs: readonly string[] | null = null, steps: { from: number; to: number } | null = null) =>
    readSuperseded(api, { experimentId: 'e', tag: 't', runs, steps }, new AbortController().signal);
  return { asked, read };
}

it('superseded points are loaded for runs that have some, page by page, until all are found', async () => {
  const { asked, read } = fakeApi({ a: 0, b: 3, c: 1 }, [
    [['b', [1, 2], [false, true]]],
    [
      ['b', [3, 2], [true, true]],
      ['c', [1], [true]],
    ],
    [['c', [1], [false]]],
  ]);
  const { series, ...rest } = await read();
  expect(rest).toEqual({ found: 4, all: 4, complete: true });
  expect(series.map(({ run, columns }) => [run, columns.step])).toEqual([
    ['b', [1, 2, 3, 2]],
    ['c', [1]],
  ]);
  expect(asked.map(({ runs, page_token: token }) => [runs, token])).toEqual([
    [['b', 'c'], undefined],
    [['b', 'c'], 'p1'],
  ]);
});

it('loading superseded points stops after a number of pages, and reports how many were found', async () => {
  const { asked, read } = fakeApi({ a: 100 }, [[['a', [1, 2], [false, true]]]]);
  expect(await read(['a'], { from: 1, to: 2 })).toMatchObject({ found: 10, all: 100, complete: false });
  expect(asked).toHaveLength(10);
  expect(asked[0]).toMatchObject({ steps: { from: 1, to: 2 } });
});

it('nothing is requested if nothing was superseded', async () => {
  const { asked, read } = fakeApi({ a: 0, b: 5 }, []);
  expect(await read(['a'])).toEqual({ series: [], found: 0, all: 0, complete: true });
  expect(asked).toEqual([]);
});
