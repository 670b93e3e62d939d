import { glob, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { seededRandom } from '#testing';
import { AckLog } from '../ack-log.ts';
import type { Violation } from '../checker.ts';
import { appendHeaders, ChaosClient, type SentFile, sha256 } from '../client.ts';
import { administer } from '../faults.ts';
import { type JsonTensor, tensorContent } from '../media.ts';
import { FaultProxy } from '../proxy.ts';
import { type NamedBlob, Reader } from '../reader.ts';
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, eventsOf, type FilePlan, type TrainingEvent } from '../training.ts';
import { drainMs, within } from '../workload.ts';

/** Test 7: one bit is flipped in transit, at random positions of bodies, or at rest. */
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
  const events = 650 * count; // 61 bytes each: enough for the longest ranges that can be drawn
  const plan: FilePlan = { seed, number: 0, run: 'run', name: 'events.out.tfevents.1', fromStep: 0, events, tags: ['a'] };
  const bytes = bytesOf(plan);
  const file = await client.announce(experimentId, plan, bytes);
  const { proxy } = await FaultProxy.before(stack.parts.front.url, seed);
  const unmet: string[] = [];
  const violations: Violation[] = [];
  let rejected = 0;
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
      const response = await sendRaw(proxy.port, Buffer.concat([head, body]));
      if (proxy.effects.flippedBits === before) unmet.push(`no bit was flipped in append ${flip}`);
      const [status, code] = [Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]), /"code":"([a-z-]+)"/.exec(response)?.[1]];
      if (status === 400 && code === 'digest-mismatch') rejected++;
      else violations.push({ kind: 'damage-taken', detail: `a flipped bit at ${at}+${length} got ${status} ${code}` });
      const durable = await client.position(file.fileId);
      if (durable !== at)
        violations.push({ kind: 'damage-taken', detail: `the offset changed from ${at} to ${durable} after a damaged body` });
      at = await client.append(file, at, range);
    }
  } finally {
    await proxy.close();
  }
  return { figures: [`${rejected} of ${count} bodies with a flipped bit rejected, offset unchanged`], violations, unmet };
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

/**
 * Where a file's content is stored. Its bytes are in ledger rows, in objects, or in the object into
 * which they were joined; blobs and large tensors are in separate objects.
 */
const places = ['row', 'object', 'original', 'blob', 'tensor'] as const;
type Place = (typeof places)[number];

/** A stored item to damage, and a request that needs it for its response. */
interface Victim {
  readonly place: Place;
  readonly read: () => Promise<Ending>;
  /** Whether the response is correct. */
  readonly isRight: (body: Buffer) => boolean;
  /** Flips a bit; returns a description of its position. */
  readonly damage: (random: () => number) => Promise<string>;
}

/** Flips one bit of the stored data in each kind of place, and reads the data. */
async function flipAtRest(stack: Stack, client: ChaosClient, seed: number, count: number): Promise<Outcome> {
  const random = seededRandom(seed + 2);
  const detected: Record<Place, number> = { row: 0, object: 0, original: 0, blob: 0, tensor: 0 };
  const violations: Violation[] = [];
  const media = await storeMedia(stack, client, seed, count);
  for (const { place, read, isRight, damage } of [...(await storeFiles(stack, client, seed, count)), ...media.victims]) {
    const flip = await damage(random);
    const ending = await read();
    if (ending.how !== 'whole') detected[place]++;
    else {
      const what = isRight(ending.body) ? 'what it should be' : `${ending.body.length} other bytes`;
      violations.push({ kind: 'acknowledged-and-changed', detail: `${flip} was not detected: the response is complete, and ${what}` });
    }
  }
  /*
   * Presigned links deliver blobs straight from the store, without a check by the service: TLS, and
   * the store's own checksums if it has any, protect the transfer, but a bit flipped at rest
   * arrives as a complete 200 response. Readers can detect it: the key of a blob is the SHA-256 of
   * its bytes, which is in the response beside the link (`sha256`) and at the end of the link's
   * path.
   */
  const differ = await Promise.all(media.links.map(async ({ url, sha256: name }) => sha256(await (await fetch(url)).bytes()) !== name));
  for (const [i, differs] of differ.entries())
    if (!differs)
      violations.push({ kind: 'acknowledged-and-changed', detail: `a flip does not change the hash of ${media.links[i]!.sha256}` });
  const summary = places.map((place) => `${detected[place]} of ${count} in ${place}s`);
  return {
    figures: [
      `flips at rest detected by reading: ${summary.join(', ')}`,
      `by presigned links, ${differ.filter(Boolean).length} of ${count} differ from the SHA-256 beside the link`,
    ],
    violations,
    unmet: [],
  };
}

/**
 * How a request ended for its client: rejected with a problem document, aborted before its end, or
 * complete.
 */
type Ending = { readonly how: 'refused' | 'cut'; readonly body: null } | { readonly how: 'whole'; readonly body: Buffer };

/**
 * Sends a request once. A short body alone does not count as an error: the client must be able to
 * detect it by the status, or by a connection that ends before the response does (RFC 9112, 8).
 * Throws if there is no response for another reason.
 */
async function ask(stack: Stack, path: string, body?: unknown): Promise<Ending> {
  try {
    const response = await fetch(`${stack.parts.front.url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${stack.token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const content = Buffer.from(await response.arrayBuffer());
    if (response.ok) return { how: 'whole', body: content };
    const { code } = JSON.parse(content.toString()) as { code?: string };
    if ((response.status >= 500 && code !== undefined) || code === 'stored-bytes-lost') return { how: 'refused', body: null };
    throw new Error(`${path}: ${response.status} ${content.toString()}`);
  } catch (error) {
    // "terminated" and "other side closed" from Node's fetch; a connection that failed to open, or
    // that timed out, is a different error.
    const { cause } = error as { cause?: { code?: string } };
    if (error instanceof TypeError && (cause?.code === 'UND_ERR_SOCKET' || cause?.code === 'ECONNRESET')) return { how: 'cut', body: null };
    throw error;
  }
}

/**
 * Stores files with bytes in rows, in objects, and joined; every second file was sent as columns.
 * The files to be joined come last, so that the others are tested in the meantime.
 */
async function storeFiles(stack: Stack, client: ChaosClient, seed: number, count: number): Promise<Victim[]> {
  const experimentId = await client.createExperiment('flips at rest');
  const victims: Victim[] = [];
  for (const place of ['row', 'object', 'original'] as const) {
    for (let i = 0; i < count; i++) {
      const events = place === 'row' ? 100 : 20_000;
      const plan: FilePlan = { seed, number: i, run: `${place}-${i}`, name: 'events.out.tfevents.1', fromStep: 0, events, tags: ['a'] };
      const bytes = bytesOf(plan);
      const file = await client.announce(experimentId, plan, bytes);
      const pieces = place === 'row' ? 4_000 : 800_000; // as columns, still above 64 KiB
      await client.sendFrom(file, bytes, 0, { minBytes: pieces, maxBytes: pieces, pauseMs: 0, columnsChance: i % 2 });
      if (place === 'original') await client.complete(file, bytes);
      victims.push({
        place,
        read: () => ask(stack, `/files/${file.fileId}/content`),
        isRight: (body) => body.equals(bytes),
        damage: async (random) =>
          place === 'row' ? damageRow(stack, file, random) : damageObject(stack, await keyOf(stack, file, place), random),
      });
    }
  }
  return victims;
}

/**
 * This many images and as many tensors above 16 KiB, all visible, and presigned links to the
 * images. All have been read once and are correct.
 */
async function storeMedia(
  stack: Stack,
  client: ChaosClient,
  seed: number,
  count: number,
): Promise<{ victims: Victim[]; links: NamedBlob[] }> {
  const experimentId = await client.createExperiment('flips at rest beside the files');
  const enough = (events: readonly TrainingEvent[]) => ({
    tensors: largeTensors(events).slice(0, count),
    pictures: newPictures(events).slice(0, count),
  });
  let plan: FilePlan = { seed, number: 0, run: 'run', name: 'events.out.tfevents.1', fromStep: 0, events: 16, tags: ['a'], media: 16 };
  while (enough(eventsOf(plan)).tensors.length < count || enough(eventsOf(plan)).pictures.length < count)
    plan = { ...plan, events: plan.events * 2, media: plan.events * 2 };
  await client.upload(experimentId, plan, { minBytes: 60_000, maxBytes: 60_000, pauseMs: 0 });
  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  const late = await reader.awaitVisible(experimentId, performance.now() + drainMs * stack.timeFactor);
  if (late !== null) throw new Error(`images and tensors to damage: ${late}`);
  const { blobs } = await reader.media(experimentId);
  const { tensors, pictures } = enough(eventsOf(plan));
  const victims: Victim[] = [];
  const links: NamedBlob[] = [];
  for (const image of pictures) {
    const blob = blobs.get(sha256(image))!;
    links.push(blob);
    victims.push({
      place: 'blob',
      read: () => ask(stack, `/blobs/${blob.key}`),
      isRight: (body) => body.equals(image),
      damage: (random) => damageObject(stack, `blob/${blob.sha256}`, random),
    });
  }
  for (const { step, media } of tensors) {
    const { tag, tensor, content } = media!;
    const packed = Float64Array.from(tensor!.data as number[]);
    victims.push({
      place: 'tensor',
      read: () => ask(stack, `/experiments/${experimentId}/tensors/query`, { tags: [tag], steps: { from: step, to: step } }),
      isRight: (body) => {
        const { series } = JSON.parse(body.toString()) as { series: { columns: { value: JsonTensor[] } }[] };
        return series.length === 1 && tensorContent(series[0]!.columns.value[0]!) === content;
      },
      damage: (random) => damageObject(stack, `tensor/${sha256(new Uint8Array(packed.buffer))}`, random),
    });
  }
  for (const { place, read, isRight } of victims) {
    const before = await read();
    if (before.how !== 'whole' || !isRight(before.body)) throw new Error(`a ${place} is wrong before it is damaged`);
  }
  return { victims, links };
}

/** Returns the events with tensors that are too large for a row. */
function largeTensors(events: readonly TrainingEvent[]): TrainingEvent[] {
  return events.filter(({ media }) => media?.tensor?.dtype === 'float64' && media.tensor.data.length * 8 > 16 * 1024);
}

/** The images, without duplicates. */
function newPictures(events: readonly TrainingEvent[]): Buffer[] {
  const pictures = events.flatMap(({ media }) => media?.blobs.at(-1) ?? []);
  return [...new Map(pictures.map((picture) => [sha256(picture), picture])).values()];
}

async function damageRow(stack: Stack, { fileId }: SentFile, random: () => number): Promise<string> {
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

/** Returns the key of a file's object; waits until the object exists. */
async function keyOf(stack: Stack, { fileId }: SentFile, place: 'object' | 'original'): Promise<string> {
  const query =
    place === 'object'
      ? 'select object_key as key from segment where file_id = $1 and object_key is not null limit 1'
      : 'select original_key as key from event_file where file_id = $1 and original_key is not null';
  let key: string | undefined;
  const found = await within(60_000, async () => (key = (await administer<{ key: string }>(stack, query, [fileId]))[0]?.key) !== undefined);
  if (!found) throw new Error(`file ${fileId} has no ${place}`);
  return key!;
}

async function damageObject(stack: Stack, key: string, random: () => number): Promise<string> {
  // <bucket>/<tenant>/<key>; lists nothing else, because other objects are created and removed
  let path: string | undefined;
  for await (const found of glob(`*/*/${key}`, { cwd: stack.s3.folder })) path = found;
  if (path === undefined) throw new Error(`the object ${key} is not in the folder of the store`);
  const object = join(stack.s3.folder, path);
  const bytes = await readFile(object);
  const at = Math.floor(random() * bytes.length);
  bytes[at]! ^= 1 << Math.floor(random() * 8);
  await writeFile(object, bytes);
  return `byte ${at} of ${key}`;
}
