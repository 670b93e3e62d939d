import { createHash, randomUUID } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, type EventSpec, writeEventFile } from '#testing';
import { readExperiment } from '../e2e/rest-run.ts';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';
import type { Program } from './program.ts';
import { watchRedis } from './watch-redis.ts';

const bytes = writeEventFile(
  Array.from({ length: 2_000 }, (_, step): EventSpec => ({ step, wallTime: 1_700_000_000 + step, simpleValues: { loss: step / 8 } })),
);

/*
 * Two processes of a kind coordinate only through the database: if clients request the same work
 * from both at the same time, it is done once.
 */

describeWith(['postgres', 'redis', 's3'], 'two processes of a kind', () => {
  let service: Service;
  let token: string;
  let uploads: readonly Program[];

  beforeAll(async () => {
    service = await Service.start({ processes: 'apart' });
    token = await service.token();
    uploads = service.apart.programs.of('upload');
  });
  afterAll(() => service.dispose());

  const ask = (program: Program, method: string, path: string, body: unknown = null, headers: Record<string, string> = {}) =>
    fetch(`${program.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== null && { 'content-type': 'application/json' }), ...headers },
      ...(body !== null && { body: JSON.stringify(body) }),
    });

  const append = (program: Program, fileId: string, start: number, end: number, range = bytes.subarray(start, end)) => {
    return fetch(`${program.url}/api/v1/files/${fileId}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${token}`,
        'upload-offset': String(start),
        'content-digest': `sha-256=:${createHash('sha256').update(range).digest('base64')}:`,
      },
      body: new Uint8Array(range),
    });
  };

  it('announce one file and one version of it', async () => {
    const { path } = await Sender.start(service);
    const asked = Array.from({ length: 8 }, (_, i) =>
      ask(uploads[i % 2]!, 'POST', `${path}/files`, { run: 'run', name: 'events.out.tfevents.1' }),
    );
    const responses = await Promise.all(asked);
    const files = (await Promise.all(responses.map((response) => response.json()))) as { file_id: string; version: number }[];
    expect(new Set(files.map(({ file_id, version }) => `${file_id} ${version}`)).size).toBe(1);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(7);
  });

  it("accept each other's JWTs, and pass no credentials through the queue", async () => {
    const watch = await watchRedis(service.apart.redis.url);
    const readers = service.apart.programs.of('read');
    const exchange = await ask(readers[0]!, 'POST', '/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token: token,
    });
    const { access_token: jwt } = (await exchange.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${jwt}` };
    for (const reader of readers) expect((await ask(reader, 'GET', '/whoami', null, headers)).status).toBe(200);
    for (const upload of uploads) {
      const { id } = (await (await ask(readers[0]!, 'POST', '/experiments', {}, headers)).json()) as { id: string };
      const opened = await ask(upload, 'POST', `/experiments/${id}/files`, { run: 'run', name: 'events.out.tfevents.1' }, headers);
      expect(opened.status).toBe(201);
      const { file_id: fileId } = (await opened.json()) as { file_id: string };
      expect((await append(upload, fileId, 0, bytes.length)).status).toBe(204);
      await service.json(`/experiments/${id}/frontier?wait_for=1&timeout=60`);
    }
    const received = watch.lines();
    expect(received.length).toBeGreaterThan(0);
    expect(received.filter((line) => line.includes(token) || line.includes(jwt))).toEqual([]);
    watch.close();
  });

  it('respond to a repeated request once, whichever process gets it', async () => {
    const { path } = await Sender.start(service);
    const key = { 'idempotency-key': randomUUID() };
    const body = { run: 'run', name: 'events.out.tfevents.1', new_version: true };
    const responses = await Promise.all(uploads.map((program) => ask(program, 'POST', `${path}/files`, body, key)));
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(await responses[0]!.json()).toEqual(await responses[1]!.json());
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(1);
  });

  it('accept the same ranges concurrently, in any order, and store each point once', async () => {
    const sender = await Sender.start(service);
    const { file_id: fileId } = await sender.announce('run');
    const [first, second] = uploads;
    const ends = Array.from({ length: 8 }, (_, i) => Math.floor((bytes.length * (i + 1)) / 8));
    for (const i of [0, 2, 4, 6]) {
      // The second of two ranges is sent first, and each range to both processes.
      const [start, middle, end] = [ends[i - 1] ?? 0, ends[i]!, ends[i + 1]!];
      const asked = [append(first!, fileId, middle, end), append(second!, fileId, middle, end)];
      asked.push(append(second!, fileId, start, middle), append(first!, fileId, start, middle));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses).toEqual([204, 204, 204, 204]);
      const positions = await Promise.all(uploads.map((program) => ask(program, 'HEAD', `/files/${fileId}`)));
      expect(positions.map(({ headers }) => headers.get('upload-offset'))).toEqual([String(end), String(end)]);
    }
    expect((await append(second!, fileId, 1, 100)).status).toBe(204);
    const conflict = await append(first!, fileId, 1, 100, Buffer.alloc(99));
    expect([conflict.status, ((await conflict.json()) as { code: string }).code]).toEqual([409, 'range-conflict']);
    const whole = { bytes: bytes.length, crc32c: crc32c(bytes).toString(16).padStart(8, '0') };
    const completed = await Promise.all(uploads.map((program) => ask(program, 'POST', `/files/${fileId}/complete`, whole)));
    expect(completed.map(({ status }) => status)).toEqual([200, 200]);
    expect(await completed[0]!.json()).toEqual(await completed[1]!.json());
    await sender.visible();
    const { scalars } = (await readExperiment(service, sender.experimentId)).get('run')!.get('loss')!;
    expect(scalars.map(({ step }) => Number(step))).toEqual(Array.from({ length: 2_000 }, (_, step) => step));
  });

  it('notify all readers of new points, whichever process they are connected to', async () => {
    const sender = await Sender.start(service);
    const { file_id: fileId } = await sender.announce('run');
    const waiting = service.apart.programs
      .of('read')
      .map((program) => ask(program, 'GET', `${sender.path}/frontier?wait_for=1&timeout=60`));
    expect((await append(uploads[0]!, fileId, 0, bytes.length)).status).toBe(204);
    for (const response of await Promise.all(waiting)) expect(await response.json()).toMatchObject({ epoch: 1 });
  });
});
