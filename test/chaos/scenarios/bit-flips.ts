import { glob, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { seededRandom } from '#testing';
import { AckLog } from '../ack-log.ts';
import type { Violation } from '../checker.ts';
import { appendHeaders, ChaosClient, type SentFile } from '../client.ts';
import { administer } from '../faults.ts';
import { FaultProxy } from '../proxy.ts';
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, type FilePlan } from '../training.ts';
import { within } from '../workload.ts';

/** Test 7: one bit is flipped on the wire, at random places of bodies; and in what is stored. */
export const bitFlips: Scenario = {
  test: '7',
  title: 'bits are flipped on the wire and at rest',
  counts: { short: 24, full: 200 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const client = new ChaosClient({ url: stack.parts.front.url, token: stack.token, log: new AckLog(), random: seededRandom(seed) });
    try {
      const wire = await flipOnTheWire(stack, client, seed, count);
      const rest = await flipAtRest(stack, client, seed, Math.max(4, Math.floor(count / 10)));
      return {
        figures: [...wire.figures, ...rest.figures],
        violations: [...wire.violations, ...rest.violations],
        unmet: [...wire.unmet, ...rest.unmet],
      };
    } finally {
      client.close();
    }
  },
};

async function flipOnTheWire(stack: Stack, client: ChaosClient, seed: number, count: number): Promise<Outcome> {
  const random = seededRandom(seed + 1);
  const experimentId = await client.createExperiment('flips on the wire');
  const events = 650 * count; // of 61 bytes each: enough for the longest ranges that can be drawn
  const plan: FilePlan = { seed, number: 0, run: 'run', name: 'events.out.tfevents.1', fromStep: 0, events, tags: ['a'] };
  const bytes = bytesOf(plan);
  const file = await client.announce(experimentId, plan, bytes);
  const { proxy } = await FaultProxy.before(stack.parts.front.url, seed);
  const unmet: string[] = [];
  const violations: Violation[] = [];
  let refused = 0;
  let at = 0;
  try {
    for (let flip = 0; flip < count; flip++) {
      const length = flip % 4 === 3 ? 70_000 + Math.floor(random() * 60_000) : 200 + Math.floor(random() * 8_000);
      const range = bytes.subarray(at, at + length);
      const zstd = flip % 3 === 2;
      const body = zstd ? zstdCompressSync(range) : range;
      const head = rawHead(stack, file, at, body, zstd);
      proxy.faults = { flip: { direction: 'up', chance: 1, from: head.length, to: head.length + body.length } };
      const before = proxy.effects.flippedBits;
      const answer = await sendRaw(proxy.port, Buffer.concat([head, body]));
      if (proxy.effects.flippedBits === before) unmet.push(`no bit was flipped in append ${flip}`);
      const [status, code] = [Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]), /"code":"([a-z-]+)"/.exec(answer)?.[1]];
      if (status === 400 && code === 'digest-mismatch') refused++;
      else violations.push({ kind: 'damage-taken', detail: `a flipped bit at ${at}+${length} was answered with ${status} ${code}` });
      const durable = await client.position(file.fileId);
      if (durable !== at) violations.push({ kind: 'damage-taken', detail: `the offset went from ${at} to ${durable} on a damaged body` });
      at = await client.append(file, at, range);
    }
  } finally {
    await proxy.close();
  }
  return { figures: [`${refused} of ${count} bodies with a flipped bit refused, offset unchanged`], violations, unmet };
}

function rawHead(stack: Stack, { fileId }: SentFile, offset: number, body: Buffer, zstd: boolean): Buffer {
  const { host } = new URL(stack.parts.front.url);
  const headers = {
    host,
    authorization: `Bearer ${stack.token}`,
    ...appendHeaders(offset, body),
    'content-length': body.length,
    ...(zstd && { 'content-encoding': 'zstd' }),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`PATCH /api/v1/files/${fileId} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

async function sendRaw(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

/** Where the bytes of a file can be: in rows of the ledger, in objects, in the one object that they are joined to. */
const places = ['row', 'object', 'original'] as const;
type Place = (typeof places)[number];

/** Flips one bit of what is stored of a file, in each of the three places where bytes can be, and reads it. */
async function flipAtRest(stack: Stack, client: ChaosClient, seed: number, count: number): Promise<Outcome> {
  const random = seededRandom(seed + 2);
  const experimentId = await client.createExperiment('flips at rest');
  const detected = { row: 0, object: 0, original: 0 };
  const violations: Violation[] = [];
  const files: { place: Place; file: SentFile; bytes: Buffer }[] = [];
  for (const place of places) {
    for (let i = 0; i < count; i++) {
      const events = place === 'row' ? 100 : 2_000;
      const plan: FilePlan = { seed, number: i, run: `${place}-${i}`, name: 'events.out.tfevents.1', fromStep: 0, events, tags: ['a'] };
      const bytes = bytesOf(plan);
      const file = await client.announce(experimentId, plan, bytes);
      const pieces = place === 'row' ? 4_000 : 80_000;
      await client.sendFrom(file, bytes, 0, { minBytes: pieces, maxBytes: pieces, pauseMs: 0 });
      if (place === 'original') await client.complete(file, bytes);
      files.push({ place, file, bytes });
    }
  }
  // Those that are to be joined come last: the others are looked at while that is done
  for (const { place, file, bytes } of files) {
    const flip = await damage(stack, file, place, random);
    const answer = await client.send('GET', `/files/${file.fileId}/content`);
    if (answer.status === null || answer.status >= 500 || (answer.status === 200 && answer.body.length < bytes.length)) detected[place]++;
    else {
      const what = answer.body.equals(bytes) ? 'the same' : 'other';
      violations.push({ kind: 'acknowledged-and-changed', detail: `${flip} was not noticed: ${answer.status}, ${what} bytes` });
    }
  }
  const said = Object.entries(detected).map(([place, n]) => `${n} of ${count} in ${place === 'row' ? 'a row' : `an ${place}`}`);
  return { figures: [`flips at rest noticed when read: ${said.join(', ')}`], violations, unmet: [] };
}

async function damage(stack: Stack, { fileId }: SentFile, place: Place, random: () => number): Promise<string> {
  if (place === 'row') {
    const [row] = await administer<{ offset: string; bytes: number }>(
      stack,
      `select "offset", octet_length(body) as bytes from segment where file_id = $1 and body is not null order by random() limit 1`,
      [fileId],
    );
    const bit = Math.floor(random() * row!.bytes * 8);
    await administer(stack, `update segment set body = set_bit(body, $3, 1 - get_bit(body, $3)) where file_id = $1 and "offset" = $2`, [
      fileId,
      row!.offset,
      bit,
    ]);
    return `bit ${bit} of the row of file ${fileId} at ${row!.offset}`;
  }
  const key = async (): Promise<string | undefined> => {
    const query =
      place === 'object'
        ? 'select object_key as key from segment where file_id = $1 and object_key is not null limit 1'
        : 'select original_key as key from event_file where file_id = $1 and original_key is not null';
    return (await administer<{ key: string }>(stack, query, [fileId]))[0]?.key;
  };
  if (!(await within(60_000, async () => (await key()) !== undefined))) throw new Error(`file ${fileId} has no ${place}`);
  const name = (await key())!;
  // <bucket>/<tenant>/<key>; nothing else is listed, for objects come and go beside it
  let path: string | undefined;
  for await (const found of glob(`*/*/${name}`, { cwd: stack.s3.folder })) path = found;
  if (path === undefined) throw new Error(`the object ${name} is not in the folder of the store`);
  const object = join(stack.s3.folder, path);
  const bytes = await readFile(object);
  const at = Math.floor(random() * bytes.length);
  bytes[at]! ^= 1 << Math.floor(random() * 8);
  await writeFile(object, bytes);
  return `byte ${at} of ${name}`;
}
