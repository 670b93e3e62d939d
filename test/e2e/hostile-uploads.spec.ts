import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { constants, crc32, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeBlock } from '#columns';
import { limits } from '#model';
import { crc32c } from '#records';
import { frameRecord, frameRecords } from '#records/testing';
import { bytesField, encodeEvent, joinBytes, stringField, varintField } from '#testing';
import { type Memory, memoryOf } from './processes.ts';
import { listSeries } from './rest-run.ts';
import { Sender } from './sender.ts';
import { Service } from './service.ts';

/*
 * Reliability tests 43 to 46 on the whole service: malicious bytes are rejected with a reason,
 * valid neighbors are kept, and memory does not grow.
 */

const MiB = 1024 * 1024;
let service: Service;
let sender: Sender;

beforeAll(async () => {
  const collector = new URL('./collect-garbage.mjs', import.meta.url).href;
  service = await Service.start({ env: { NODE_OPTIONS: `--expose-gc --import ${collector}`, MALLOC_ARENA_MAX: '2' } });
  sender = await Sender.start(service);
  // Memory for the first uploads of this kind does not count as growth.
  for (let i = 0; i < 3; i++) await sender.send(`warm-${i}`, Buffer.concat([good('a'), frameRecord(Buffer.alloc(4 * MiB))]));
  await bomb('gzip', gzipSync(Buffer.alloc(limits.maxAppendBytes)));
  await bomb('zstd', zstdCompressSync(Buffer.alloc(limits.maxAppendBytes)));
  await sender.visible();
});
afterAll(async () => {
  await alive();
  await service.dispose();
});

const good = (tag: string, step = 1): Uint8Array => frameRecord(encodeEvent({ step, wallTime: 1, simpleValues: { [tag]: step } }));

async function alive(): Promise<void> {
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
}

/**
 * Runs `work` and checks that no process of the service grows by more than `maxMiB` (only with
 * /proc). Concurrent jobs start additional ingest threads, which remain, with about 20 MiB of code
 * and heap each, regardless of the data. A round that started a thread is inconclusive and is
 * followed by another round; the last of `rounds` counts in any case.
 */
async function growsByAtMost(maxMiB: number, work: (round: number) => Promise<void>, rounds = 1): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const before = await kept();
    await work(round);
    if (!before) return;
    const threads = (memory: readonly Memory[]): number[] => memory.map((process) => process.threads);
    if (round < rounds && !isDeepStrictEqual(threads((await kept())!), threads(before))) continue;
    const growth = async () => Math.max(...(await kept())!.map(({ now }, process) => now - before[process]!.now));
    await expect.poll(growth, { timeout: 10_000 }).toBeLessThan(maxMiB);
    return;
  }
}

/** Returns the memory of each process after garbage collection; null without /proc. */
async function kept(): Promise<Memory[] | null> {
  for (const pid of service.pids) process.kill(pid, 'SIGUSR2');
  await sleep(200);
  return memoryOf(service.pids);
}

async function bomb(encoding: string, body: Uint8Array): Promise<{ status: number; code?: string; max_bytes?: number }> {
  const { file_id } = await sender.announce(`bomb-${createHash('sha1').update(body).digest('hex')}`);
  const response = await sender.append(file_id, 0, body, { 'content-encoding': encoding });
  const position = await service.fetch(`/files/${file_id}`, { method: 'HEAD' });
  if (response.status !== 204) expect(position.headers.get('upload-offset')).toBe('0');
  return { status: response.status, ...(response.status === 204 ? {} : ((await response.json()) as object)) };
}

/** Encodes a range as a block of at most a thousandth of its size. */
async function columnsOf(range: Uint8Array): Promise<Buffer> {
  return (await encodeBlock(range, crc32c(0, range)))!;
}

describe('bodies that decompress to more', () => {
  const zeros = Buffer.alloc(limits.maxAppendBytes + 1);
  const rejected = { status: 413, code: 'body-too-large', max_bytes: limits.maxAppendBytes };

  it('are accepted up to the limit and rejected one byte beyond it', async () => {
    expect(await bomb('gzip', gzipSync(zeros.subarray(0, limits.maxAppendBytes)))).toEqual({ status: 204 });
    expect(await bomb('zstd', zstdCompressSync(zeros.subarray(0, limits.maxAppendBytes)))).toEqual({ status: 204 });
    expect(await bomb('plotline-columns', await columnsOf(zeros.subarray(0, limits.maxAppendBytes)))).toEqual({ status: 204 });
    expect(await bomb('gzip', gzipSync(zeros))).toMatchObject(rejected);
    expect(await bomb('zstd', zstdCompressSync(zeros))).toMatchObject(rejected);
    expect(await bomb('plotline-columns', await columnsOf(zeros))).toMatchObject(rejected);
  });

  it('of gigabytes are aborted at the limit, repeatedly, without growth', async () => {
    const part = gzipSync(Buffer.alloc(256 * MiB));
    const members = Buffer.concat([part, part, part, part]);
    const frame = zstdCompressSync(Buffer.alloc(256 * MiB));
    const frames = Buffer.concat(Array.from({ length: 60 }, () => frame));
    await growsByAtMost(32, async () => {
      for (let i = 0; i < 4; i++) {
        const salt = Buffer.alloc(i + 1);
        expect(await bomb('gzip', Buffer.concat([members, gzipSync(salt)]))).toMatchObject(rejected);
        expect(await bomb('zstd', Buffer.concat([frames, zstdCompressSync(salt)]))).toMatchObject(rejected);
      }
    });
  });

  it('are rejected if they request a huge window, are truncated, nested, or not compressed', async () => {
    const window = zstdCompressSync(Buffer.alloc(4 * MiB), { params: { [constants.ZSTD_c_windowLog]: 27 } });
    // Frame header (RFC 8878, 3.1.1): no content size, window of 2^41 bytes.
    const monstrous = Buffer.concat([Buffer.from('28b52ffd00f8', 'hex'), Buffer.from('010000', 'hex')]);
    const gzip = gzipSync(Buffer.alloc(MiB));
    for (const [encoding, body] of [
      ['zstd', monstrous],
      ['gzip', gzip.subarray(0, gzip.length - 9)],
      ['zstd', window.subarray(0, window.length - 1)],
      ['gzip', Buffer.from('not gzip')],
      ['zstd', Buffer.from('not zstd')],
      ['zstd', Buffer.alloc(0)],
      ['gzip', Buffer.alloc(0)],
      ['zstd', Buffer.concat(Array.from({ length: 1_000 }, () => zstdCompressSync(Buffer.alloc(1))))],
    ] as const)
      expect(await bomb(encoding, body), `${encoding} ${body.length}`).toMatchObject({ status: 400, code: 'corrupt-encoding' });
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'compress', 'x'])
      expect(await bomb(encoding, gzip)).toMatchObject({ status: 415 });
  });

  it('are rejected by their announced length', async () => {
    expect(await bomb('identity', zeros)).toMatchObject(rejected);
    const { file_id } = await sender.announce('claims');
    // Bytes beyond Content-Length would be another request, so this tests the sent bytes.
    const response = await service.fetch(`/files/${file_id}`, {
      method: 'PATCH',
      headers: { 'upload-offset': '9007199254740993', 'content-digest': 'crc32c=:AAAAAA==:' },
      body: new Uint8Array(1),
    });
    expect(response.status).toBe(400);
  });
});

it('an image that decompresses to 200 MiB is stored and served unchanged, never decoded', async () => {
  const chunk = (type: string, data: Uint8Array): Uint8Array => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), 8 + data.length);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(100_000, 0);
  header.writeUInt32BE(2_097, 4);
  header[8] = 8;
  const png = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(200 * MiB))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  // Legacy image (summary.proto): {1 height, 2 width, 3 colorspace, 4 encoded_image_string} in
  // field 4 of the value.
  const image = joinBytes(varintField(1, 100_000), varintField(2, 2_097), varintField(3, 1), bytesField(4, png));
  await growsByAtMost(32, async () => {
    const event = encodeEvent({
      step: 1,
      wallTime: 1,
      more: bytesField(5, bytesField(1, joinBytes(stringField(1, 'png'), bytesField(4, image)))),
    });
    await sender.send('image', frameRecords([event]));
    await sender.visible();
    const response = await service.json<{ series: { points: { blobs: { key: string; bytes: number; content_type: string }[] }[] }[] }>(
      `${sender.path}/blob-sequences/query`,
      { runs: ['image'] },
    );
    const blob = response.series[0]!.points[0]!.blobs.at(-1)!;
    expect(blob).toMatchObject({ bytes: png.length, content_type: 'image/png' });
    const served = await service.fetch(`/blobs/${blob.key}`);
    expect(served.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await served.bytes()).equals(png)).toBe(true);
  });
});

describe('records with wrong lengths', () => {
  const lengths = [2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];
  const groups = Buffer.concat([Buffer.alloc(200_000, 0x5b), Buffer.alloc(200_000, 0x5c)]);
  const packed = bytesField(
    5,
    bytesField(1, joinBytes(stringField(1, 't'), bytesField(8, Uint8Array.of(0x2a, 0xff, 0xff, 0xff, 0xff, 0x07)))),
  );
  const empty = bytesField(5, Buffer.alloc(2_000_000, Uint8Array.of(0x0a, 0)));
  let nested: Uint8Array = new Uint8Array(0);
  for (let level = 0; level < 20_000; level++) nested = bytesField(1, nested);
  const flipped = Uint8Array.from(good('t'));
  flipped[20]! ^= 1;
  const badLength = Uint8Array.from(good('t'));
  badLength[8]! ^= 1;

  /** Name, record, reason, and whether reading continues after it (data rule 8). */
  const cases: [run: string, record: Uint8Array, reason: string, goesOn: boolean][] = [
    ...lengths.map((length): [string, Uint8Array, string, boolean] => [
      `length ${length}`,
      frameRecord(Buffer.alloc(100), { length }),
      'length-too-large',
      false,
    ]),
    ['bad length checksum', badLength, 'length-checksum', false],
    ['bad data checksum', flipped, 'data-checksum', true],
    ['200,000 nested groups', frameRecord(groups), 'nested-too-deeply', true],
    ['a packed length of 2 GiB', frameRecord(packed), 'not-an-event', true],
    ['a million empty values', frameRecord(empty), 'too-many-values', true],
    ['20,000 nested messages', frameRecord(joinBytes(bytesField(5, nested), Uint8Array.of(0x0f))), 'not-an-event', true],
    ['a record over the limit', frameRecord(Buffer.alloc(limits.maxRecordBytes + 1)), 'record-too-large', true],
  ];

  it('are reported with file and offset; their neighbors are kept, but no memory', async () => {
    const before = good('kept', 1);
    const sendSmallOnes = async (round: string): Promise<void> => {
      for (const [run, record] of cases.filter(([, one]) => one.length < MiB))
        await sender.send(`${round}${run}`, Buffer.concat([before, record, good('kept', 2)]));
      await sender.visible();
    };
    // The first round needs a bounded amount of memory (code, heap pages), far below the claimed
    // sizes; further rounds must need none.
    await growsByAtMost(128, () => sendSmallOnes(''));
    await growsByAtMost(16, (round) => sendSmallOnes(`again ${round}: `), 5);
    // The large records are sent completely, so the service keeps the received bytes for a while.
    for (const [run, record] of cases.filter(([, one]) => one.length >= MiB))
      await sender.send(run, Buffer.concat([before, record, good('kept', 2)]));
    await sender.visible();
    const problems = new Map((await sender.problems()).map((problem) => [problem.run, problem]));
    const series = new Map(
      (await listSeries(service, sender.experimentId)).filter(({ tag }) => tag === 'kept').map((one) => [one.run, one.points]),
    );
    for (const [run, record, reason, goesOn] of cases) {
      expect(problems.get(run), run).toMatchObject({ offset: before.length, reason });
      if (goesOn) expect(problems.get(run)!.bytes, run).toBe(record.length);
      expect(series.get(run), run).toBe(goesOn ? 2 : 1);
    }
    // The bytes of these records are settled, so they block nothing.
    expect(await service.json(`${sender.path}/frontier`)).toMatchObject({ visible: true });
  });

  it('are listed in the receipt', async () => {
    const { problems } = await service.json<{ problems: { run: string; reason: string }[] }>(`${sender.path}/receipt`);
    for (const [run, , reason] of cases) expect(problems).toContainEqual(expect.objectContaining({ run, reason }));
  });

  it('may claim a plausible length: the service waits for the bytes and reserves no memory', async () => {
    await growsByAtMost(32, async () => {
      for (const length of [limits.maxRecordBytes, limits.maxRecordBytes + 1, limits.maxClaimedRecordBytes])
        await sender.send(`claims ${length}`, Buffer.concat([good('kept'), frameRecord(Buffer.alloc(100), { length: BigInt(length) })]), {
          complete: false,
        });
      await sender.visible();
    });
    const waiting = (await sender.problems()).filter(({ run }) => run.startsWith('claims'));
    expect(waiting).toEqual([]);
  });
});
