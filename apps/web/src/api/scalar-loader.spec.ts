import { describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { ScalarLoader } from './scalar-loader.ts';

interface Body {
  readonly tags: string[];
  readonly runs?: string[];
  readonly points: number;
  readonly steps?: unknown;
}

/**
 * Responds to each query with one point per requested tag in the runs a and b, and records the
 * queries.
 */
function fakeApi(fail = false) {
  const asked: Body[] = [];
  const query = async (_path: string, body: Body) => {
    asked.push(body);
    if (fail) throw new Error('down');
    const series = ['a', 'b'].flatMap((run) =>
      body.tags
        .filter((tag) => tag !== 'none')
        .map((tag) => ({ run, tag, sampling: 'raw', source_points: 1, columns: { step: [1], wall_time: [1], value: [1] } })),
    );
    return { series };
  };
  return { asked, api: { query } as unknown as Api };
}

const request = (tag: string, points = 100) => ({ tag, runs: null, steps: null, points, smoothing: 0, spacing: 'linear' as const });

describe('the scalar loader', () => {
  it('sends one request for simultaneous loads', async () => {
    const { api, asked } = fakeApi();
    const loader = new ScalarLoader(api, 'id', () => 2);
    const responses = await Promise.all([loader.load(request('x')), loader.load(request('y')), loader.load(request('none'))]);
    expect(asked.map(({ tags }) => tags)).toEqual([['x', 'y', 'none']]);
    expect(responses.map((series) => series.map(({ run, tag }) => `${run} ${tag}`))).toEqual([['a x', 'b x'], ['a y', 'b y'], []]);
  });

  it('separates loads that differ, and those that exceed one response', async () => {
    const { api, asked } = fakeApi();
    const loader = new ScalarLoader(api, 'id', () => 400);
    await Promise.all([...Array.from({ length: 5 }, (_, i) => loader.load(request(`t${i}`))), loader.load(request('other', 10))]);
    expect(asked.map(({ tags, points }) => [tags.length, points])).toEqual([
      [2, 100],
      [2, 100],
      [1, 100],
      [1, 10],
    ]);
  });

  it('requests steps beyond 2^53 as digits', async () => {
    const { api, asked } = fakeApi();
    const loader = new ScalarLoader(api, 'id', () => 2);
    await Promise.all([
      loader.load({ ...request('x'), steps: { from: 5, to: 1e18 + 1024 } }),
      loader.load({ ...request('x'), steps: { from: -(2 ** 63), to: null } }),
    ]);
    expect(asked.map(({ steps }) => steps)).toEqual([{ from: 5, to: '1000000000000001024' }, { from: '-9223372036854775808' }]);
  });

  it('rejects all pending loads when the request fails', async () => {
    const { api } = fakeApi(true);
    const loader = new ScalarLoader(api, 'id', () => 2);
    const responses = await Promise.allSettled([loader.load(request('x')), loader.load(request('y'))]);
    expect(responses.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
