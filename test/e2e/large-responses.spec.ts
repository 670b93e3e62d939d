import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#model';
import { type EventSpec, writeEventFile } from '#testing';
import { memoryOf } from './processes.ts';
import { listSeries } from './rest-run.ts';
import { Sender } from './sender.ts';
import { Service } from './service.ts';

/*
 * Reliability test 59: every response is bounded, a rejection explains what to narrow, and other
 * clients get responses at the same time.
 */

const seriesCount = 10_000;
const longPoints = 110_000;
let service: Service;
let sender: Sender;

beforeAll(async () => {
  service = await Service.start();
  sender = await Sender.start(service);
  const tag = (i: number): string => `group-${i % 100}/series-${i}`;
  const tags = Array.from({ length: seriesCount }, (_, i) => tag(i));
  const wide: EventSpec[] = [0, 1, 2].map((step) => ({
    step,
    wallTime: 1_700_000_000 + step,
    simpleValues: Object.fromEntries(tags.map((name, i) => [name, step + i / 8])),
  }));
  await sender.send('wide', writeEventFile(wide));
  const long = (from: number, to: number): EventSpec[] =>
    Array.from({ length: to - from }, (_, i) => ({ step: from + i, wallTime: 1_700_000_000 + from + i, simpleValues: { long: from + i } }));
  const bytes = writeEventFile(long(0, longPoints));
  for (let run = 0; run < 3; run++) await sender.send(`long-${run}`, bytes);
  await sender.visible();
});
afterAll(() => service.dispose());

interface LargeResponse {
  readonly status: number;
  readonly bytes: number;
  readonly json: { series?: { columns: Record<string, unknown[]> }[]; code?: string; detail?: string; next_page_token?: string };
}

async function ask(body: object, accept = 'application/json'): Promise<LargeResponse> {
  const response = await service.fetch(`${sender.path}/scalars/query`, { method: 'POST', body: JSON.stringify(body), headers: { accept } });
  const bytes = await response.bytes();
  expect([response.status < 500, response.status >= 500 && Buffer.from(bytes).toString()]).toEqual([true, false]);
  expect(bytes.length).toBeLessThanOrEqual(limits.maxAnswerBytes);
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    bytes: bytes.length,
    json: type.includes('json') ? (JSON.parse(Buffer.from(bytes).toString()) as LargeResponse['json']) : {},
  };
}

const countPoints = ({ json }: LargeResponse): number => (json.series ?? []).reduce((sum, { columns }) => sum + columns.step!.length, 0);

describe('ten thousand series', () => {
  it('are listed in bounded pages, each once', async () => {
    const all = await listSeries(service, sender.experimentId);
    expect(new Set(all.map(({ run, tag }) => `${run} ${tag}`)).size).toBe(seriesCount + 3);
    const page = await service.json<{ series: unknown[]; next_page_token?: string }>(`${sender.path}/series?page_size=99999999`);
    expect(page.series.length).toBeLessThanOrEqual(10_000);
    expect(page.next_page_token).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('have charts at once if few points of each are requested; otherwise the rejection says what to narrow', async () => {
    const few = await ask({ runs: ['wide'], points: 100 });
    expect([few.status, few.json.series?.length, countPoints(few)]).toEqual([200, seriesCount, 3 * seriesCount]);
    for (const more of [
      {},
      { points: limits.maxBuckets },
      { sampling: 'tail', points: 1_000 },
      { sampling: 'random', points: 1_000 },
      { align: 'request' },
    ]) {
      const rejected = await ask({ runs: ['wide'], ...more });
      expect(rejected, JSON.stringify(more)).toMatchObject({ status: 413, json: { code: 'answer-too-large' } });
      expect(rejected.json.detail).toMatch(/fewer runs or tags, or at most \d+ points/);
    }
    // Following the advice in the rejection works.
    const { detail } = (await ask({ runs: ['wide'] })).json;
    const points = Number(/at most (\d+) points/.exec(detail!)![1]);
    expect((await ask({ runs: ['wide'], points })).status).toBe(200);
  });

  it('are read completely, page by page, each point once', async () => {
    const seen = new Set<string>();
    let token: string | undefined;
    let pages = 0;
    do {
      const response: LargeResponse = await ask({ runs: ['wide'], sampling: 'raw', page_size: 7_001, ...(token && { page_token: token }) });
      expect(countPoints(response)).toBeLessThanOrEqual(7_001);
      for (const { tag, columns } of response.json.series as unknown as { tag: string; columns: { step: number[] } }[])
        for (const step of columns.step) seen.add(`${tag} ${step}`);
      token = response.json.next_page_token;
      pages++;
    } while (token);
    expect([seen.size, pages]).toEqual([3 * seriesCount, Math.ceil((3 * seriesCount) / 7_001)]);
  });

  it('are named individually in the largest body, which succeeds or is rejected', async () => {
    const tags = Array.from({ length: limits.maxNamesPerQuery }, (_, i) => `group-${i % 100}/series-${i}`);
    const response = await ask({ runs: ['wide'], tags, points: 10 });
    expect([response.status, response.json.series?.length]).toEqual([200, Math.min(seriesCount, limits.maxNamesPerQuery)]);
    expect(await ask({ tags: ['x'.repeat(limits.maxQueryBodyBytes)] })).toMatchObject({ status: 413, json: { code: 'body-too-large' } });
    expect(await ask({ tags: [...tags, 'one more'] })).toMatchObject({ status: 400, json: { code: 'bad-request' } });
    expect(await ask({ tags: Array.from({ length: limits.maxBodyValues }, () => '') })).toMatchObject({ status: 413 });
  });
});

describe('long series', () => {
  it.each([
    ['all of int64', { from: '-9223372036854775808', to: '9223372036854775807' }],
    ['backwards', { from: 100, to: 50 }],
    ['no points', { from: '9223372036854775000' }],
    ['one step', { from: 77, to: 77 }],
  ])('in a range of %s return at most the requested number', async (_, steps) => {
    for (const sampling of ['minmax', 'raw', 'last', 'tail', 'random']) {
      const response = await ask({ tags: ['long'], steps, sampling, points: 500, page_size: 500 });
      expect(response.status, sampling).toBe(200);
      expect(countPoints(response), sampling).toBeLessThanOrEqual(3 * 500);
    }
  });

  it('come in pages of at most 100,000 points for any page size; deep pages cost no memory', async () => {
    const before = await memoryOf(service.pids);
    let token: string | undefined;
    let points = 0;
    do {
      const response: LargeResponse = await ask({
        tags: ['long'],
        sampling: 'raw',
        page_size: 2_000_000_000,
        ...(token && { page_token: token }),
      });
      expect(countPoints(response)).toBeLessThanOrEqual(limits.maxPointsPageSize);
      points += countPoints(response);
      token = response.json.next_page_token;
    } while (token);
    expect(points).toBe(3 * longPoints);
    const after = await memoryOf(service.pids);
    for (const [process, memory] of (after ?? []).entries()) if (before) expect(memory.now - before[process]!.now).toBeLessThan(256);
  });

  it('come with at most 100,000 buckets, in every format, within the limit of bytes', async () => {
    for (const [accept, points] of [
      ['application/json', 2_000_000_000],
      ['text/csv', limits.maxBuckets],
      ['application/vnd.apache.arrow.stream', limits.maxBuckets],
    ] as const)
      expect((await ask({ tags: ['long'], points }, accept)).status).toBe(200);
  });
});

const rejectedBodies: object[] = [
  { points: 0 },
  { points: -1 },
  { points: 1.5 },
  { points: 1e300 },
  { points: '10' },
  { page_size: 0 },
  { page_size: null },
  { steps: { from: 1e300 } },
  { steps: { from: '9223372036854775808' } },
  { steps: { from: 'x' } },
  { steps: [] },
  { sampling: 'everything' },
  { runs: 'wide' },
  { runs: [null] },
  { runs: [['a']] },
  { columns: ['secret'] },
  { wait_for: -1, timeout: 1e9 },
  { page_token: 'AAAA', sampling: 'raw' },
  { page_token: 'x'.repeat(100_000), sampling: 'raw' },
  { page_token: Buffer.from('[1,2,3]').toString('base64url'), sampling: 'raw' },
  { unknown: 1 },
];

it.each(rejectedBodies.map((body) => [JSON.stringify(body).slice(0, 60), body] as const))('%s is rejected with a code', async (_, body) => {
  expect(await ask(body)).toMatchObject({ status: 400, json: { code: expect.stringMatching(/^[a-z-]+$/) as string } });
});

it('other clients get responses during the largest requests', async () => {
  const largest = [
    { runs: ['wide'], points: 400 },
    { tags: ['long'], points: limits.maxBuckets },
    { sampling: 'raw', superseded: true, page_size: limits.maxPointsPageSize },
    { tags: ['long'], sampling: 'random', points: limits.maxBuckets },
  ];
  let busy = true;
  // Large responses of a workspace queue up; a client that gets Retry-After retries.
  const untilResponse = async (body: object): Promise<LargeResponse> => {
    for (;;) {
      const response = await ask(body);
      if (response.status !== 429) return response;
    }
  };
  const heavy = Promise.all([...largest, ...largest].map((body) => untilResponse(body)));
  void heavy.finally(() => (busy = false));
  let responded = 0;
  while (busy) {
    expect((await service.fetch(sender.path)).status).toBe(200);
    expect((await ask({ runs: ['wide'], tags: ['group-0/series-0'] })).status).toBe(200);
    const other = await Sender.start(service);
    await other.send('run', writeEventFile([{ step: 1, simpleValues: { a: 1 } }]), { complete: false });
    responded++;
  }
  expect((await heavy).map(({ status }) => status)).toEqual([...largest, ...largest].map(() => 200));
  expect(responded).toBeGreaterThan(0);
});

it('many concurrent clients get responses or a Retry-After, and the service survives', async () => {
  const responses = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const response = await service.fetch(`${sender.path}/scalars/query`, {
        method: 'POST',
        body: JSON.stringify({ tags: ['long'], points: 20_000 }),
      });
      const bytes = Buffer.from(await response.bytes());
      if (response.status !== 200) {
        const { code } = JSON.parse(bytes.toString()) as { code: string };
        // The database is too busy, or the workspace's share of the memory is used up.
        expect([
          [503, 'store-unavailable'],
          [429, 'rate-limited'],
        ]).toContainEqual([response.status, code]);
        expect(response.headers.get('retry-after')).toMatch(/^[0-9]+$/);
      }
      return response.status;
    }),
  );
  expect(responses).toContain(200);
  expect((await ask({ tags: ['long'] })).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});
