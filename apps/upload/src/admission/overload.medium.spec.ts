import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { digestOf, type UploadClient, UploadService, type UploadServiceOptions } from '../testing/upload-service.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

describeWith(['postgres'], 'an overloaded upload service', () => {
  let service: UploadService;
  afterEach(() => service.stop());

  async function start(options: UploadServiceOptions): Promise<UploadClient> {
    service = await UploadService.start(options);
    return service.newClient();
  }

  /** Acts like a worker that has ingested the bytes. */
  const settleAll = () => service.administer('delete from pending_segment');

  /** Starts a PATCH, but sends only `body` and omits the rest. */
  function beginAppend(client: UploadClient, fileId: string, offset: number, length: number, body: Uint8Array, headers = ''): Socket {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      `PATCH /api/v1/files/${fileId} HTTP/1.1\r\nHost: x\r\nAuthorization: ${client.headers.authorization}\r\nUpload-Offset: ${offset}\r\n` +
        `Content-Digest: ${digestOf(Buffer.alloc(length))}\r\nContent-Length: ${length}\r\n${headers}\r\n`,
    );
    socket.write(body);
    return socket;
  }

  /** Everything that is received until the peer closes the connection. */
  async function responseOf(socket: Socket): Promise<string> {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
    await once(socket, 'close');
    return text;
  }

  it('reports on every append how much a workspace may still have pending', async () => {
    const client = await start({ limits: { maxPendingBytesPerTenant: 10 * MiB } });
    const { fileId } = await client.newFile();
    const { headers } = await client.append(fileId, 0, Buffer.alloc(MiB));
    expect(headers['ratelimit-policy']).toContain(`"pending";q=${10 * MiB};qu="content-bytes"`);
    expect(headers['ratelimit']).toContain(`"pending";r=${9 * MiB}`);
  });

  it('asks for a retry at the bound, keeps acknowledged bytes, and continues after they were ingested (reliability test 56)', async () => {
    const client = await start({ limits: { maxPendingBytesPerTenant: 3 * MiB } });
    const { fileId } = await client.newFile();
    for (let n = 0; n < 3; n++) expect((await client.append(fileId, n * MiB, Buffer.alloc(MiB, n))).status).toBe(204);
    const rejected = await client.append(fileId, 3 * MiB, Buffer.alloc(MiB));
    expect(rejected).toMatchObject({ status: 429, json: { code: 'too-much-pending' } });
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(rejected.headers['ratelimit']).toMatch(/"pending";r=0;t=\d+/);
    expect((await client.position(fileId)).headers['upload-offset']).toBe(String(3 * MiB));
    await settleAll();
    let response = rejected;
    while (response.status === 429) response = await client.append(fileId, 3 * MiB, Buffer.alloc(MiB, 3));
    expect(response.status).toBe(204);
    expect((await client.stored(fileId)).equals(Buffer.concat([0, 1, 2, 3].map((n) => Buffer.alloc(MiB, n))))).toBe(true);
  });

  it('does not let a workspace at its bound stop another (reliability test 32)', async () => {
    const greedy = await start({ limits: { maxPendingBytesPerTenant: MiB, maxPendingBytes: 2 * MiB } });
    const modest = await service.newClient();
    const [first, second] = [await greedy.newFile(), await modest.newFile()];
    expect((await greedy.append(first.fileId, 0, Buffer.alloc(MiB))).status).toBe(204);
    expect((await greedy.append(first.fileId, MiB, Buffer.alloc(MiB))).status).toBe(429);
    expect((await modest.append(second.fileId, 0, Buffer.alloc(MiB / 2))).status).toBe(204);
  });

  it('rejects before it reads: a sender in the middle of a body receives the response', async () => {
    const client = await start({ limits: { maxPendingBytesPerTenant: 4 * KiB } });
    const { fileId } = await client.newFile();
    expect((await client.append(fileId, 0, Buffer.alloc(KiB))).status).toBe(204);
    const socket = beginAppend(client, fileId, KiB, 8 * MiB, Buffer.alloc(64 * KiB));
    // The client continues to send, like a client that reads the response only at the end.
    let left = 8 * MiB - 64 * KiB;
    const more = (): void => {
      for (let flowing = true; flowing && left > 0; left -= 64 * KiB) flowing = socket.write(Buffer.alloc(64 * KiB));
    };
    socket.on('drain', more);
    more();
    const response = await responseOf(socket);
    expect(response).toMatch(/^HTTP\/1.1 429 /);
    expect(response).toContain('"code":"too-much-pending"');
    expect(response.toLowerCase()).toContain('connection: close');
    expect(service.budget.usedBytes).toBe(0);
  });

  it('keeps the connection of a small rejected body, and waits only briefly for the rest', async () => {
    const client = await start({ limits: { maxPendingBytesPerTenant: 4 * KiB } });
    const { fileId } = await client.newFile();
    expect((await client.append(fileId, 0, Buffer.alloc(KiB))).status).toBe(204);
    const body = Buffer.alloc(16 * KiB);
    const socket = beginAppend(client, fileId, KiB, body.length, body.subarray(0, KiB));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString('latin1')).toMatch(/^HTTP\/1.1 429 /);
    expect(first.toString('latin1').toLowerCase()).not.toContain('connection: close');
    socket.write(body.subarray(KiB));
    socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await responseOf(socket)).toMatch(/^HTTP\/1.1 401 /);
    const silent = beginAppend(client, fileId, KiB, body.length, body.subarray(0, KiB));
    expect(await responseOf(silent)).toMatch(/^HTTP\/1.1 429 /);
  });

  it('spares the body of a sender with Expect: 100-continue', async () => {
    const client = await start({ limits: { maxPendingBytesPerTenant: 4 * KiB } });
    const { fileId } = await client.newFile();
    const bytes = Buffer.alloc(4 * KiB);
    const admitted = beginAppend(client, fileId, 0, bytes.length, Buffer.alloc(0), 'Expect: 100-continue\r\nConnection: close\r\n');
    const [first] = (await once(admitted, 'data')) as [Buffer];
    expect(first.toString('latin1')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    admitted.write(bytes);
    expect(await responseOf(admitted)).toMatch(/^HTTP\/1.1 204 /);
    const rejected = beginAppend(client, fileId, bytes.length, bytes.length, Buffer.alloc(0), 'Expect: 100-continue\r\n');
    expect(await responseOf(rejected)).toMatch(/^HTTP\/1.1 429 /);
  });

  it('limits the open bodies of a workspace, whatever others have (reliability test 57)', async () => {
    const client = await start({ limits: { maxAppends: 30, maxAppendsPerTenant: 20 } });
    const other = await service.newClient();
    const { fileId } = await client.newFile();
    const open = Array.from({ length: 20 }, (_, n) => beginAppend(client, fileId, n * 10, 10, Buffer.from('12345')));
    let rejected = await client.append(fileId, 1_000, Buffer.from('x'));
    while (rejected.status === 204) rejected = await client.append(fileId, 1_000, Buffer.from('x')); // until all of them have been admitted
    expect(rejected).toMatchObject({ status: 429, json: { code: 'too-many-uploads' } });
    expect(rejected.headers['ratelimit-policy']).toContain('"appends";q=20;qu="concurrent-requests"');
    expect(rejected.headers['retry-after']).toBe('1');
    const elsewhere = await other.newFile();
    expect((await other.append(elsewhere.fileId, 0, Buffer.from('x'))).status).toBe(204);
    for (const socket of open) socket.destroy();
    let response = rejected;
    while (response.status === 429) response = await client.append(fileId, 1_000, Buffer.from('x'));
    expect(response.status).toBe(204);
  });

  it('cuts a body that takes too long, keeps what was acknowledged before, and suggests a range size (reliability test 57)', async () => {
    const client = await start({ bodyTimeoutMs: 300 });
    const { fileId } = await client.newFile();
    await client.append(fileId, 0, Buffer.from('kept'));
    const socket = beginAppend(client, fileId, 4, MiB, Buffer.alloc(1));
    const drip = setInterval(() => socket.write(Buffer.alloc(1)), 20); // never idle
    const response = await responseOf(socket);
    clearInterval(drip);
    expect(response).toMatch(/^HTTP\/1.1 408 /);
    expect(response).toContain('"good_range_bytes":4096');
    const { headers } = await client.position(fileId);
    expect(headers['upload-offset']).toBe('4');
    expect((await client.append(fileId, 4, Buffer.from('more'))).status).toBe(204);
    expect((await client.stored(fileId)).toString()).toBe('keptmore');
    expect(service.budget.usedBytes).toBe(0);
  });

  it('decodes many bombs at once within its memory, a few at a time (reliability test 46)', async () => {
    const client = await start({ budgetBytes: 64 * MiB });
    const { fileId } = await client.newFile();
    const { zstdCompressSync } = await import('node:zlib');
    const bomb = zstdCompressSync(Buffer.alloc(16 * MiB));
    let max = 0;
    const watch = setInterval(() => (max = Math.max(max, service.budget.usedBytes)), 1);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, n) => client.append(fileId, n === 0 ? 0 : n * 16 * MiB, bomb, { 'content-encoding': 'zstd' })),
    );
    clearInterval(watch);
    // Ranges beyond the window are rejected. The other ranges contain 16 MiB of zeros each.
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204, 409]));
    expect(max).toBeGreaterThan(16 * MiB);
    expect(max).toBeLessThanOrEqual(64 * MiB + 17 * MiB);
    expect(service.budget.usedBytes).toBe(0);
  });
});
