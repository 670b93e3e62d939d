import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GrpcTestClient } from '#grpc/testing';
import { describeWith, type EventSpec, freePort, writeEventFile } from '#testing';
import { readExperiment } from '../e2e/rest-run.ts';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';
import type { Program, ProgramKind } from './program.ts';

const steps = 3_000;
const bytes = writeEventFile(
  Array.from({ length: steps }, (_, step): EventSpec => ({ step, wallTime: 1_700_000_000 + step, simpleValues: { loss: step / 8 } })),
);

/**
 * Statuses that clients may get while processes start and stop, because they retry after these
 * statuses.
 */
const passing = new Set([429, 503]);

/**
 * Sends a file range by range and retries; fails on any status other than success or {@link
 * passing}. `onResponse` is called for each acknowledged range.
 */
async function sendWithRetries(sender: Sender, run: string, goesOn: () => boolean, onResponse: () => void): Promise<void> {
  const { file_id: fileId } = await untilAccepted(() => sender.announce(run));
  for (let at = 0; at < bytes.length;) {
    const end = goesOn() ? Math.min(at + 512, bytes.length) : bytes.length;
    const response = await sender.append(fileId, at, bytes.subarray(at, end)).catch(() => null);
    if (response?.status === 204) {
      at = Number(response.headers.get('upload-offset'));
      onResponse();
    } else if (response === null || passing.has(response.status)) await sleep(50);
    else throw new Error(`${response.status} ${await response.text()}`);
    if (goesOn()) await sleep(20);
  }
  await untilAccepted(() => sender.complete(fileId, bytes));
}

/** Retries while a stopping process rejects the request. */
async function untilAccepted<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!/fetch failed|: (429|503) /.test(String(error))) throw error;
      await sleep(50);
    }
  }
}

/** A PATCH request to a process, with a body sent in pieces. */
class OpenAppend {
  /** Resolves when the process has read the header and waits for the body. */
  readonly isOpen: Promise<unknown>;
  readonly response: Promise<IncomingMessage>;
  readonly #request;

  constructor(program: Program, token: string, fileId: string, offset: number, body: Uint8Array) {
    this.#request = request(`${program.url}/api/v1/files/${fileId}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${token}`,
        'upload-offset': offset,
        'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
        'content-length': body.length,
        expect: '100-continue',
      },
    });
    this.isOpen = once(this.#request, 'continue');
    this.isOpen.catch(() => undefined);
    this.response = new Promise((resolve, reject) => {
      this.#request.once('response', resolve).once('error', reject);
    });
    this.response.catch(() => undefined); // The test checks the error later.
  }

  send(piece: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => this.#request.write(piece, (error) => (error ? reject(error) : resolve())));
  }

  end(): void {
    this.#request.end();
  }
}

/** Resolves when no process listens on the port anymore. */
async function isClosed(port: number): Promise<void> {
  await expect
    .poll(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, '127.0.0.1');
          socket.once('connect', () => (socket.destroy(), resolve(false))).once('error', () => resolve(true));
        }),
      { timeout: 20_000 },
    )
    .toBe(true);
}

describeWith(['postgres', 'redis', 's3'], 'a stopping process (reliability test 67)', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ processes: 'apart' });
  });
  afterAll(() => service.dispose());

  it('reads open bodies to their end, aborts one that does not end, and keeps what it acknowledged', async () => {
    const sender = await Sender.start(service);
    const [whole, endless] = [await sender.announce('whole'), await sender.announce('endless')];
    expect((await sender.append(endless.file_id, 0, bytes.subarray(0, 1_000))).status).toBe(204);
    const [upload] = service.apart.programs.of('upload');
    const token = await service.token();
    const finishing = new OpenAppend(upload!, token, whole.file_id, 0, bytes);
    const hanging = new OpenAppend(upload!, token, endless.file_id, 1_000, bytes.subarray(1_000));
    await finishing.send(bytes.subarray(0, 1_000));
    await hanging.send(bytes.subarray(1_000, 2_000));
    await Promise.all([finishing.isOpen, hanging.isOpen]);
    const ended = upload!.end('SIGTERM');
    await isClosed(upload!.port);
    await finishing.send(bytes.subarray(1_000));
    finishing.end();
    const response = await finishing.response;
    expect([response.statusCode, response.headers['upload-offset'], response.headers.connection]).toEqual([
      204,
      String(bytes.length),
      'close',
    ]);
    await expect(hanging.response).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await ended, upload!.output).toMatchObject({ code: 0, signal: null });
    await service.start();
    const position = await service.fetch(`/files/${endless.file_id}`, { method: 'HEAD' });
    expect(position.headers.get('upload-offset')).toBe('1000');
  });

  it('causes only retries under load, and leaves neither claims nor transactions behind', async () => {
    const sender = await Sender.start(service);
    let busy = true;
    let responded = 0;
    const uploads = Array.from({ length: 6 }, (_, i) =>
      sendWithRetries(
        sender,
        `run-${i}`,
        () => busy,
        () => responded++,
      ),
    );
    const readers = Array.from({ length: 2 }, async () => {
      while (busy) {
        const response = await service.fetch(`${sender.path}/series`).catch(() => null);
        if (response && !response.ok) expect([...passing]).toContain(response.status);
        if (response?.ok) responded++;
        await response?.body?.cancel();
        await sleep(20);
      }
    });
    for (const kind of ['upload', 'ingest', 'read'] as const) {
      const before = responded;
      await expect.poll(() => responded, { timeout: 60_000 }).toBeGreaterThan(before + 60);
      const [program] = service.apart.programs.of(kind);
      expect(await program!.end('SIGTERM'), program!.output).toMatchObject({ code: 0, signal: null });
      await service.start();
    }
    busy = false;
    await Promise.all([...uploads, ...readers]);
    await sender.visible();
    const runs = await readExperiment(service, sender.experimentId);
    for (let i = 0; i < uploads.length; i++) expect(runs.get(`run-${i}`)!.get('loss')!.scalars).toHaveLength(steps);
    const admin = new pg.Client({ connectionString: service.apart.postgres.url(undefined, 'plotline') });
    await admin.connect();
    try {
      expect((await admin.query('select from pending_segment')).rowCount).toBe(0);
      const left = await admin.query(
        `select query from pg_stat_activity where datname = 'plotline' and state like 'idle in transaction%' and state_change < now() - interval '5 s'`,
      );
      expect(left.rows).toEqual([]);
    } finally {
      await admin.end();
    }
  });

  it('with a grace period, first reports not ready, still accepts new connections, and stops afterwards', async () => {
    const stop = async (kind: ProgramKind): Promise<void> => {
      const grpcPort = await freePort();
      const env = { PLOTLINE_STOP_GRACE_SECONDS: '10', PLOTLINE_GRPC_PORT: kind === 'ingest' ? 'off' : String(grpcPort) };
      const [program] = await service.apart.programs.start(kind, 1, env);
      const status = async (path: string) => (await fetch(`${program!.url}${path}`, { headers: { connection: 'close' } })).status;
      const client = new GrpcTestClient(grpcPort);
      const grpcStatus = async () => (await client.call<{ status: number }>('/grpc.health.v1.Health/Check', { service: '' })).status;
      expect(await status('/readyz')).toBe(200);
      if (kind !== 'ingest') expect(await grpcStatus()).toBe(1);
      const ended = program!.end('SIGTERM');
      await expect.poll(() => status('/readyz')).toBe(503);
      if (kind !== 'ingest') expect(await grpcStatus()).toBe(2);
      expect(await status('/healthz')).toBe(200);
      expect(await ended, program!.output).toMatchObject({ code: 0, signal: null });
      client.close();
      expect(program!.output).toContain('no longer ready');
    };
    await Promise.all((['upload', 'ingest', 'read'] as const).map(stop));
  });
});
