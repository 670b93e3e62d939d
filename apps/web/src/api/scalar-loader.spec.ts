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
 * Answers each query with a point of every requested tag in the runs a and b, and records the
 * queries.
 */
function fakeApi(fail = false) {
  const asked: Body[] = [];
  const query = async (_path: string, body: Body) => {
    asked.push(body);
    if (fail) throw new Error('away');
    const series = ['a', 'b'].flatMap((run) =>
      body.tags
        .filter((tag) => tag !== 'none')
        .map((tag) => ({ run, tag, sampling: 'raw', source_points: 1, columns: { step: [1], wall_time: [1], value: [1] } })),
    );
    return { series };
  };
  return { asked, api: { query } as unknown as Api };
}

const wish = (tag: string, points = 100) => ({ tag, runs: null, steps: null, points, smoothing: 0, spacing: 'linear' as const });

describe('the loader of scalars', () => {
  it('asks once for what is wished for at once', async () => {
    const { api, asked } = fakeApi();
    const loader = new ScalarLoader(api, 'id', () => 2);
    const answers = await Promise.all([loader.load(wish('x')), loader.load(wish('y')), loader.load(wish('none'))]);
    expect(asked.map(({ tags }) => tags)).toEqual([['x', 'y', 'none']]);
    expect(answers.map((series) => series.map(({ run, tag }) => `${run} ${tag}`))).toEqual([['a x', 'b x'], ['a y', 'b y'], []]);
  });

  it('asks apart for what differs, and for more than one answer should hold', async () => {
    const { api, asked } = fakeApi();
    const loader = new ScalarLoader(api, 'id', () => 400);
    await Promise.all([...Array.from({ length: 5 }, (_, i) => loader.load(wish(`t${i}`))), loader.load(wish('other', 10))]);
    expect(asked.map(({ tags, points }) => [tags.length, points])).toEqual([
      [2, 100],
      [2, 100],
      [1, 100],
      [1, 10],
    ]);
  });

  it('asks for steps beyond 2^53 in digits', async () => {
    const { api, asked } = fakeApi();
    const loader = new ScalarLoader(api, 'id', () => 2);
    await Promise.all([
      loader.load({ ...wish('x'), steps: { from: 5, to: 1e18 + 1024 } }),
      loader.load({ ...wish('x'), steps: { from: -(2 ** 63), to: null } }),
    ]);
    expect(asked.map(({ steps }) => steps)).toEqual([{ from: 5, to: '1000000000000001024' }, { from: '-9223372036854775808' }]);
  });

  it('tells all who wait when the answer does not come', async () => {
    const { api } = fakeApi(true);
    const loader = new ScalarLoader(api, 'id', () => 2);
    const answers = await Promise.allSettled([loader.load(wish('x')), loader.load(wish('y'))]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
