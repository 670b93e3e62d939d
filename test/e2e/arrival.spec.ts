import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventSpec, seededRandom, writeEventFile } from '#testing';
import { each } from './lanes.ts';
import { listSeries } from './rest-run.ts';
import { Sender } from './sender.ts';
import { Service } from './service.ts';

/*
 * Reliability tests 23 and 24: the visible data depends on the bytes, not on their pieces or order
 * of arrival.
 */

let service: Service;
let sender: Sender;

beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.dispose());

interface Columns {
  readonly step: number[];
  readonly value: number[];
  readonly superseded: boolean[];
}

/** Reads every point with its superseded flag, by run. */
async function readRuns(tag: string): Promise<Map<string, Columns>> {
  const runs = new Map<string, Columns>();
  let token: string | undefined;
  do {
    const body = { tags: [tag], sampling: 'raw', superseded: true, page_size: 100_000, ...(token && { page_token: token }) };
    const page = await service.json<{ series: { run: string; columns: Columns }[]; next_page_token?: string }>(
      `${sender.path}/scalars/query`,
      body,
    );
    for (const { run, columns } of page.series) {
      const known = runs.get(run) ?? { step: [], value: [], superseded: [] };
      runs.set(run, {
        step: known.step.concat(columns.step),
        value: known.value.concat(columns.value),
        superseded: known.superseded.concat(columns.superseded),
      });
    }
    token = page.next_page_token;
  } while (token);
  return runs;
}

const orders = Number(process.env.ARRIVAL_ORDERS ?? 75);

it(`a restarted training looks the same for ${orders} orders of arrival`, { timeout: 900_000 }, async () => {
  const seed = Number(process.env.ARRIVAL_SEED ?? Date.now() % 1_000_000);
  const next = seededRandom(seed);
  sender = await Sender.start(service);
  const events = (startsAt: number, from: number, to: number, add: number): EventSpec[] =>
    Array.from({ length: to - from }, (_, i) => ({
      step: from + i,
      wallTime: startsAt + i,
      simpleValues: { loss: from + i + add },
    }));
  const files = [
    { name: 'tfevents.1', bytes: writeEventFile(events(1_700_000_000, 0, 60, 0.25)) },
    {
      name: 'tfevents.2',
      bytes: writeEventFile([
        { wallTime: 1_700_000_100, fileVersion: 'brain.Event:2' },
        { step: 30, wallTime: 1_700_000_100, sessionStart: true },
        ...events(1_700_000_100, 30, 90, 0.5),
      ]),
    },
  ];
  await each(Array.from({ length: orders }), async (_, order) => {
    const pieces = [];
    for (const { name, bytes } of files) {
      const { file_id } = await sender.announce(`order-${order}`, name);
      const cuts = [0, 1 + Math.floor(next() * (bytes.length - 2)), bytes.length];
      for (let i = 0; i + 1 < cuts.length; i++)
        pieces.push({ file_id, offset: cuts[i]!, bytes: bytes.subarray(cuts[i], cuts[i + 1]), place: next() });
    }
    for (const { file_id, offset, bytes } of pieces.toSorted((a, b) => a.place - b.place)) {
      const { status } = await sender.append(file_id, offset, bytes);
      expect(status, `seed ${seed}`).toBe(204);
    }
  });
  await sender.visible();
  // Data rule 2: the last write of a step wins; the first 30 steps were written once.
  const first = Array.from({ length: 60 }, (_, step) => ({ step, value: step + 0.25, superseded: step >= 30 }));
  const second = Array.from({ length: 60 }, (_, i) => ({ step: 30 + i, value: 30.5 + i, superseded: false }));
  const wanted = [...first, ...second];
  const expected = {
    step: wanted.map(({ step }) => step),
    value: wanted.map(({ value }) => value),
    superseded: wanted.map(({ superseded }) => superseded),
  };
  const runs = await readRuns('loss');
  expect(runs.size).toBe(orders);
  for (const [run, columns] of runs) expect(columns, `${run}, seed ${seed}`).toEqual(expected);
});

it('a file cut at any byte shows its complete records, is not damaged, and continues at the cut', { timeout: 900_000 }, async () => {
  sender = await Sender.start(service);
  const records = Array.from({ length: 9 }, (_, step) => ({ step, wallTime: 1_700_000_000 + step, simpleValues: { loss: step / 4 } }));
  const file = writeEventFile(records);
  const ends: number[] = [];
  for (let at = 0; at < file.length; ends.push(at))
    at += 16 + Number(new DataView(file.buffer, file.byteOffset + at).getBigUint64(0, true));
  expect(ends).toHaveLength(10);
  const cuts = Array.from({ length: file.length + 1 }, (_, cut) => cut);
  const ids = new Map<number, string>();
  await each(cuts, async (cut) => {
    const { file_id } = await sender.announce(`cut-${cut}`);
    ids.set(cut, file_id);
    if (cut > 0) expect((await sender.append(file_id, 0, file.subarray(0, cut))).status).toBe(204);
  });
  await sender.visible();
  const pointsOf = async () =>
    new Map(
      (await listSeries(service, sender.experimentId)).map(({ run, points, superseded_points }) => [run, points + superseded_points]),
    );
  const before = await pointsOf();
  // The first record contains the version.
  for (const cut of cuts)
    expect(before.get(`cut-${cut}`) ?? 0, `cut at ${cut}`).toBe(Math.max(0, ends.filter((end) => end <= cut).length - 1));
  expect(await sender.problems()).toEqual([]);

  await each(cuts, async (cut) => {
    if (cut < file.length) expect((await sender.append(ids.get(cut)!, cut, file.subarray(cut))).status).toBe(204);
  });
  await sender.visible();
  expect(await pointsOf()).toEqual(new Map(cuts.map((cut) => [`cut-${cut}`, 9])));
  const all = await readRuns('loss');
  for (const cut of cuts)
    expect(all.get(`cut-${cut}`), `cut at ${cut}`).toMatchObject({
      step: records.map(({ step }) => step),
      value: records.map(({ step }) => step / 4),
    });
  expect(await sender.problems()).toEqual([]);
});
