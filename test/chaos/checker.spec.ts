import { createServer } from 'node:http';
import { crc32c } from '@node-rs/crc32';
import { describe, expect, it } from 'vitest';
import { AckLog } from './ack-log.ts';
import { check, type Violation } from './checker.ts';
import { sha256, type SentFile } from './client.ts';
import { bytesOf, eventsOf, type FilePlan, seriesOf } from './training.ts';

/** The stored data of a system, in the form of its responses; tests corrupt it. */
interface Stored {
  readonly scalars: Row<number>[];
  readonly tensors: Row<{ dtype: string; shape: number[]; data: unknown[] }>[];
  readonly sequences: Row<string[]>[];
  readonly blobs: Map<string, Buffer>;
  readonly content: Buffer;
}

interface Row<Value> {
  readonly tag: string;
  readonly step: number;
  readonly wallTime: number;
  superseded: boolean;
  value: Value;
}

const plan: FilePlan = {
  seed: 5,
  number: 0,
  run: 'run',
  name: 'events.out.tfevents.1',
  fromStep: 0,
  events: 60,
  tags: ['loss', 'accuracy'],
  media: 36,
};
const file: SentFile = { plan, experimentId: 'e', fileId: '1', length: bytesOf(plan).length, sha256: sha256(bytesOf(plan)) };

/** Returns the data of a correct system. */
function honest(): Stored {
  const stored: Stored = { scalars: [], tensors: [], sequences: [], blobs: new Map(), content: bytesOf(plan) };
  for (const { step, wallTime, scalars, media } of eventsOf(plan)) {
    const place = { step, wallTime, superseded: false };
    for (const [tag, value] of Object.entries(scalars)) stored.scalars.push({ ...place, tag, value: Math.fround(value) });
    if (!media) continue;
    if (media.tensor) stored.tensors.push({ ...place, tag: media.tag, value: structuredClone(media.tensor) as Row<never>['value'] });
    else {
      for (const blob of media.blobs) stored.blobs.set(sha256(blob), blob);
      stored.sequences.push({ ...place, tag: media.tag, value: media.blobs.map(sha256) });
    }
  }
  return stored;
}

function responseOf(stored: Stored, path: string): unknown {
  const byTag = <Value>(rows: Row<Value>[]) => [...Map.groupBy(rows, ({ tag }) => tag)];
  const columns = <Value>(rows: Row<Value>[]) => ({
    step: rows.map(({ step }) => step),
    wall_time: rows.map(({ wallTime }) => wallTime),
    value: rows.map(({ value }) => value),
    superseded: rows.map(({ superseded }) => superseded),
  });
  const blob = (name: string) => ({ key: name, url: '', bytes: stored.blobs.get(name)?.length ?? 0, sha256: name });
  switch (path.replace(/\?.*/, '')) {
    case '/api/v1/experiments/e/frontier':
      return { epoch: 1, acknowledged_epoch: 1 };
    case '/api/v1/experiments/e/files': {
      const crc = crc32c(bytesOf(plan)).toString(16).padStart(8, '0');
      return { files: [{ run: plan.run, name: plan.name, version: 1, bytes: file.length, crc32c: crc }] };
    }
    case '/api/v1/experiments/e/problems':
      return { problems: [] };
    case '/api/v1/experiments/e/scalars/query':
      return { series: byTag(stored.scalars).map(([tag, rows]) => ({ run: 'run', tag, writer: 0, columns: columns(rows) })) };
    case '/api/v1/experiments/e/tensors/query':
      return { series: byTag(stored.tensors).map(([tag, rows]) => ({ run: 'run', tag, writer: 0, columns: columns(rows) })) };
    case '/api/v1/experiments/e/blob-sequences/query':
      return {
        series: byTag(stored.sequences).map(([tag, rows]) => ({
          run: 'run',
          tag,
          writer: 0,
          points: rows.map(({ step, wallTime, superseded, value }) => ({ step, wall_time: wallTime, superseded, blobs: value.map(blob) })),
        })),
      };
    default:
      return null;
  }
}

/** Returns the checker's result for a system with this data. */
async function judge(corrupt: (stored: Stored) => void): Promise<Awaited<ReturnType<typeof check>>> {
  const stored = honest();
  corrupt(stored);
  const server = createServer((request, response) => {
    const path = request.url!;
    const blob = stored.blobs.get(path.slice('/api/v1/blobs/'.length));
    const result = responseOf(stored, path);
    if (path === '/api/v1/files/1/content') response.end(stored.content);
    else if (blob) response.end(blob);
    else if (result) response.end(JSON.stringify(result));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const log = new AckLog();
  log.promise('1', file.length, 'all of it');
  try {
    return await check({ url: `http://127.0.0.1:${port}`, token: '', files: [file], log, drainMs: 1_000 });
  } finally {
    server.close().closeAllConnections();
  }
}

const kinds = (violations: readonly Violation[]) => violations.map(({ kind }) => kind);
const remove = <T>(rows: T[], at: number) => rows.splice(at, 1);
const double = <T>(rows: T[], at: number) => rows.splice(at, 0, rows[at]!);

describe('the checker', () => {
  it('finds nothing if everything is stored once, and reports what it checked', async () => {
    const { violations, ...counts } = await judge(() => undefined);
    expect(violations).toEqual([]);
    expect(counts).toMatchObject({ files: 1, points: 60 * 2 + 36, media: 36 });
    expect(counts.blobs).toBe(honest().blobs.size);
  });

  it.each(['scalars', 'tensors', 'sequences'] as const)('detects lost and duplicated data: %s', async (table) => {
    for (const at of [0, 3, honest()[table].length - 1]) {
      expect(kinds((await judge((stored) => remove<unknown>(stored[table], at))).violations)).toEqual(['points-lost']);
      expect(kinds((await judge((stored) => double<unknown>(stored[table], at))).violations)).toEqual(['points-doubled']);
    }
  });

  it.each(['scalars', 'tensors', 'sequences'] as const)('detects one duplicate together with one loss: %s', async (table) => {
    const { violations } = await judge((stored) => {
      const rows: { tag: string }[] = stored[table];
      const next = rows.findIndex(({ tag }, i) => i > 0 && tag === rows[0]!.tag);
      rows[next] = rows[0]!;
    });
    expect(kinds(violations)).toEqual(['points-doubled']);
  });

  it.each(['scalars', 'tensors', 'sequences'] as const)('detects wrongly superseded data: %s', async (table) => {
    const { violations } = await judge((stored) => (stored[table][2]!.superseded = true));
    expect(kinds(violations)).toEqual(['points-changed']);
  });

  it('detects a series that was never logged', async () => {
    const { violations } = await judge(({ tensors }) => tensors.push({ ...tensors[0]!, tag: 'media/other' }));
    expect(kinds(violations)).toEqual(['points-doubled']);
  });

  it('detects a changed number of a tensor, letter of a text, and shape', async () => {
    const corrupted = async (dtype: string, spoil: (value: Stored['tensors'][number]['value']) => void) =>
      kinds((await judge(({ tensors }) => spoil(tensors.find(({ value }) => value.dtype === dtype)!.value))).violations);
    expect(await corrupted('float64', ({ data }) => (data[4] = Number(data[4]) + 2 ** -52))).toEqual(['points-changed']);
    expect(await corrupted('float64', ({ shape }) => shape.reverse())).toEqual(['points-changed']);
    expect(await corrupted('string', ({ data }) => (data[0] = String(data[0]).replace('ö', 'o')))).toEqual(['points-changed']);
  });

  it('detects an image with the name of another blob, a blob with other bytes, and a missing blob', async () => {
    const other = await judge(({ sequences }) => (sequences[0]!.value = [...sequences[0]!.value].reverse()));
    expect(kinds(other.violations)).toEqual(['points-changed']);
    const picture = (stored: Stored) => stored.sequences[0]!.value.at(-1)!;
    const changed = await judge((stored) => {
      const copy = Buffer.from(stored.blobs.get(picture(stored))!);
      copy[40]! ^= 1;
      stored.blobs.set(picture(stored), copy);
    });
    expect(kinds(changed.violations)).toEqual(['points-changed']);
    const gone = await judge((stored) => stored.blobs.delete(picture(stored)));
    expect(kinds(gone.violations)).toEqual(['unreadable']);
  });
});

describe('the non-scalar data of a training run', () => {
  const many = Array.from({ length: 60 }, (_, number) => eventsOf({ ...plan, number }).flatMap(({ media }) => media ?? [])).flat();

  it('depends on the seed only', () => {
    expect(bytesOf(plan)).toEqual(bytesOf({ ...plan }));
    expect(bytesOf({ ...plan, seed: 6 })).not.toEqual(bytesOf(plan));
    expect(many).toHaveLength(60 * plan.media!);
  });

  it('has tensors stored as rows and as objects, and some equal images', () => {
    const sizes = many.flatMap(({ tensor }) => (tensor?.dtype === 'float64' ? tensor.data.length * 8 : []));
    const large = sizes.filter((bytes) => bytes > 16 * 1024).length;
    expect(large).toBeGreaterThan(0);
    expect(large).toBeLessThan(sizes.length / 4);
    const pictures = many.flatMap(({ blobs }) => (blobs.length > 0 ? sha256(blobs.at(-1)!) : []));
    expect(new Set(pictures).size).toBeLessThan(pictures.length * 0.9);
    expect(new Set(pictures).size).toBeGreaterThan(pictures.length * 0.5);
  });

  it('is superseded like scalars', () => {
    const points = [3, 4, 2].map((step) => ({ step, wallTime: step, value: `content ${step}` }));
    expect(seriesOf([points]).map(({ superseded }) => superseded)).toEqual([true, true, false]);
  });
});
