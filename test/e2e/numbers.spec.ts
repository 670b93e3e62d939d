import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameRecords } from '#records/testing';
import { bytesField, doubleField, joinBytes, stringField, varintField } from '#testing';
import { listSeries } from './rest-run.ts';
import { Sender } from './sender.ts';
import { Service } from './service.ts';

/* Reliability test 49: numbers are returned bit for bit, in every format. */

let service: Service;
let sender: Sender;

beforeAll(async () => {
  service = await Service.start();
  sender = await Sender.start(service);
});
afterAll(() => service.dispose());

interface Point {
  readonly step: bigint;
  readonly wallTime: number;
  readonly value: number;
}

const maxStep = 2n ** 63n - 1n;
const oddNumbers = [
  0,
  -0,
  NaN,
  Infinity,
  -Infinity,
  Number.MIN_VALUE,
  -Number.MIN_VALUE,
  2 ** -1022,
  2 ** -1022 - 2 ** -1074,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.EPSILON,
  1 + Number.EPSILON,
  1 - Number.EPSILON / 2,
  0.1,
  1 / 3,
  Math.PI,
  5e-324,
  1e300,
  -1e300,
  1e21,
  1e-7,
  123456789012345680000,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 53 + 2,
  -(2 ** 53),
  2 ** 63,
  2 ** 64,
  2 ** -149,
  2 ** -126,
  3.4028234663852886e38,
  -1,
  1,
];
const oddSteps = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  -(2n ** 53n) - 1n,
  -(2n ** 53n),
  -1n,
  0n,
  1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 62n,
  maxStep - 1n,
  maxStep,
];

/**
 * Returns an event with one float64 scalar as TF2 writes it: tensor {1 dtype = DT_DOUBLE, 2 shape,
 * 6 double_val}.
 */
function event(tag: string, { step, wallTime, value }: Point): Uint8Array {
  const tensor = joinBytes(varintField(1, 2), bytesField(2, new Uint8Array()), doubleField(6, value));
  const metadata = joinBytes(bytesField(1, stringField(1, 'scalars')), varintField(4, 1));
  return joinBytes(
    doubleField(1, wallTime),
    varintField(2, step),
    bytesField(5, bytesField(1, joinBytes(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata)))),
  );
}

/** Returns the 64 bits of a number; all NaNs are equal (data rule 5). */
function bits(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16);
}

const shown = ({ step, wallTime, value }: Point): string => `${step} ${bits(wallTime)} ${bits(value)}`;

/**
 * Parses a number in a JSON response: a plain number, or one of three words; a string of digits is
 * an int64.
 */
const float = (json: unknown): number => (typeof json === 'number' ? json : Number(json));

interface Columns {
  readonly step: (number | string)[];
  readonly wall_time: (number | string)[];
  readonly value: (number | string)[];
  readonly superseded?: boolean[];
}

/** JSON.parse reads `-0.0` as −0. */
function pointsOf({ step, wall_time, value }: Columns): Point[] {
  return step.map((one, i) => ({ step: BigInt(one), wallTime: float(wall_time[i]), value: float(value[i]) }));
}

/** Reads all points of a series in log order, over all pages. */
async function readAll(tag: string): Promise<Point[]> {
  const points: Point[] = [];
  let token: string | undefined;
  do {
    const page: { series: { columns: Columns }[]; next_page_token?: string } = await service.json(`${sender.path}/scalars/query`, {
      tags: [tag],
      sampling: 'raw',
      superseded: true,
      page_size: 20_000,
      ...(token && { page_token: token }),
    });
    for (const { columns } of page.series) points.push(...pointsOf(columns));
    token = page.next_page_token;
  } while (token);
  return points;
}

async function upload(run: string, tag: string, points: readonly Point[]): Promise<void> {
  await sender.send(run, frameRecords(points.map((point) => event(tag, point))));
  await sender.visible();
}

describe('odd numbers', () => {
  // Every number as a value at rising steps, which include the odd integers; and as a wall time.
  const points: Point[] = oddNumbers.map((value, i) => ({
    step: i < oddSteps.length ? oddSteps[i]! : maxStep,
    wallTime: oddNumbers.at(-1 - i)!,
    value,
  }));
  const effective = points.slice(0, oddSteps.length - 1).concat(points.at(-1)!);

  beforeAll(() => upload('odd', 'odd', points));

  it('read back from raw pages, including superseded ones', async () => {
    expect((await readAll('odd')).map(shown)).toEqual(points.map(shown));
  });

  it.each([
    ['raw', {}],
    ['minmax', { points: 1_000 }],
    ['tail', { points: 1_000 }],
    ['random', { points: 1_000 }],
  ])('read back from %s', async (sampling, more) => {
    const { series } = await service.json<{ series: { columns: Columns }[] }>(`${sender.path}/scalars/query`, {
      tags: ['odd'],
      sampling,
      ...more,
    });
    expect(pointsOf(series[0]!.columns).map(shown)).toEqual(effective.map(shown));
  });

  it('read back individually from last, found by their exact step', async () => {
    for (const point of effective) {
      const at = String(point.step);
      const asked = { tags: ['odd'], sampling: 'last', steps: { from: at, to: at } };
      const { series } = await service.json<{ series: { columns: Columns }[] }>(`${sender.path}/scalars/query`, asked);
      expect(pointsOf(series[0]!.columns).map(shown)).toEqual([shown(point)]);
    }
  });

  it('read back from CSV', async () => {
    const response = await service.fetch(`${sender.path}/scalars?tag=odd&sampling=raw`, { headers: { accept: 'text/csv' } });
    const [head, ...lines] = (await response.text()).trimEnd().split('\r\n');
    expect(head).toBe('run,tag,step,wall_time,value');
    const read = lines
      .map((line) => line.split(','))
      .map(([, , step, wallTime, value]) => ({ step: BigInt(step!), wallTime: Number(wallTime), value: Number(value) }));
    expect(read.map(shown)).toEqual(effective.map(shown));
  });

  it('read back from Arrow', async () => {
    const response = await service.fetch(`${sender.path}/scalars?tag=odd&sampling=raw`, {
      headers: { accept: 'application/vnd.apache.arrow.stream' },
    });
    expect(readArrow(await response.bytes()).map(shown)).toEqual(effective.map(shown));
  });

  it('are formatted as documented: shortest form, −0 as -0.0, words, strings beyond 2^53', async () => {
    const text = await (await service.fetch(`${sender.path}/scalars?tag=odd&sampling=raw&superseded=true`)).text();
    for (const expected of [
      '-0.0',
      '"NaN"',
      '"Infinity"',
      '"-Infinity"',
      '5e-324',
      '1e+300',
      '0.1',
      '"-9223372036854775808"',
      '"9007199254740993"',
      '9007199254740991',
      '"9223372036854775807"',
    ])
      expect(text).toContain(expected);
    expect(text).not.toContain('null');
  });

  it('have summaries that ignore NaN and infinities', async () => {
    const [series] = (await listSeries(service, sender.experimentId)).filter(({ tag }) => tag === 'odd');
    expect(series).toMatchObject({
      points: effective.length,
      superseded_points: points.length - effective.length,
      first_step: '-9223372036854775808',
      last_step: '9223372036854775807',
      min: '-Infinity',
      max: 'Infinity',
      last: oddNumbers.at(-1),
      nan_count: 1,
    });
  });

  it('fall into buckets whose bounds do not overflow, at every resolution', async () => {
    for (let buckets = 1; buckets < effective.length; buckets++) {
      const response = await service.json<{ series: { columns: Record<string, (number | string)[]> }[] }>(`${sender.path}/scalars/query`, {
        tags: ['odd'],
        points: buckets,
      });
      const { columns } = response.series[0]!;
      expect(columns.step!.length).toBeLessThanOrEqual(buckets);
      expect(columns.count!.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(effective.length);
      columns.step!.forEach((first, i) => {
        const inside = effective.filter(({ step }) => step >= BigInt(first) && step <= BigInt(columns.last_step![i]!));
        const numbers = inside.map(({ value }) => value).filter((value) => !Number.isNaN(value));
        expect(inside.length).toBe(Number(columns.count![i]));
        expect(bits(float(columns.first![i]))).toBe(bits(inside[0]!.value));
        expect(bits(float(columns.last![i]))).toBe(bits(inside.at(-1)!.value));
        expect(float(columns.min![i]) + 0).toBe(numbers.length === 0 ? NaN : Math.min(...numbers) + 0);
        expect(float(columns.max![i]) + 0).toBe(numbers.length === 0 ? NaN : Math.max(...numbers) + 0);
      });
    }
  });
});

function readArrow(bytes: Uint8Array): Point[] {
  return tableFromIPC(bytes)
    .toArray()
    .map((row: { step: bigint; wall_time: number; value: number }) => ({ step: row.step, wallTime: row.wall_time, value: row.value }));
}

describe('a hundred thousand numbers of every kind', () => {
  const seed = Number(process.env.NUMBERS_SEED ?? Date.now() % 1_000_000);
  const number = fc.oneof(
    { weight: 3, arbitrary: fc.double() },
    { weight: 1, arbitrary: fc.constantFrom(...oddNumbers) },
    { weight: 1, arbitrary: fc.float() },
  );
  const [numbers] = fc.sample(fc.array(number, { minLength: 200_000, maxLength: 200_000, size: 'max' }), { numRuns: 1, seed }) as [
    number[],
  ];
  const [gaps] = fc.sample(fc.array(fc.bigInt(1n, 2n ** 46n), { minLength: 100_000, maxLength: 100_000, size: 'max' }), {
    numRuns: 1,
    seed,
  }) as [bigint[]];
  let step = -(2n ** 63n);
  const points: Point[] = gaps.map((gap, i) => ({ step: (step += gap), wallTime: numbers[2 * i]!, value: numbers[2 * i + 1]! }));

  it(`equal those that were logged (seed ${seed})`, async () => {
    await upload('many', 'many', points);
    const wanted = points.map(shown);
    expect(sameLines((await readAll('many')).map(shown), wanted)).toBe('the same');
    const arrow = await service.fetch(`${sender.path}/scalars?tag=many&sampling=raw&page_size=100000`, {
      headers: { accept: 'application/vnd.apache.arrow.stream' },
    });
    expect(sameLines(readArrow(await arrow.bytes()).map(shown), wanted)).toBe('the same');
  });
});

/**
 * Reports the first difference between two long lists; a built-in diff of 100,000 lines would take
 * minutes.
 */
function sameLines(found: readonly string[], wanted: readonly string[]): string {
  if (found.length !== wanted.length) return `${found.length} instead of ${wanted.length}`;
  const at = wanted.findIndex((line, i) => line !== found[i]);
  return at < 0 ? 'the same' : `${found[at]} instead of ${wanted[at]} at ${at}`;
}
