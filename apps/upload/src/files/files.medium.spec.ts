import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeBlock } from '#columns';
import { type FileId, limits } from '#model';
import { fileIdOf } from '#model/testing';
import { joinOriginal } from '#originals';
import { readFile } from '#store';
import { describeWith, writeEventFile } from '#testing';
import { digestOf, type UploadClient, UploadService } from '../testing/upload-service.ts';

const MiB = 1024 * 1024;

const scalarLog = Buffer.from(
  writeEventFile(Array.from({ length: 5_000 }, (_, step) => ({ step, scalars: { loss: Math.sin(step), lr: 1 / (step + 1) } }))),
);

describeWith(['postgres'], 'uploading event files', () => {
  let service: UploadService;
  let client: UploadClient;

  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
  });
  afterAll(() => service?.stop());

  const fileState = async (fileId: FileId) => {
    const { headers } = await client.position(fileId);
    return { offset: Number(headers['upload-offset']), ranges: headers['upload-ranges'] };
  };

  it('stores appended bytes exactly, and reports the durable offset and its time', async () => {
    const { fileId, experimentId } = await client.newFile();
    const [small, large] = [randomBytes(1_000), randomBytes(3 * MiB)];
    const first = await client.append(fileId, 0, small);
    expect(first).toMatchObject({ status: 204, headers: { 'upload-offset': '1000', 'upload-epoch': '1' } });
    const second = await client.append(fileId, 1_000, large);
    expect(second).toMatchObject({ status: 204, headers: { 'upload-offset': String(1_000 + 3 * MiB), 'upload-epoch': '2' } });
    expect(await client.stored(fileId)).toEqual(Buffer.concat([small, large]));
    expect(service.dispatcher.offered).toContainEqual(expect.objectContaining({ tenantId: client.tenantId, experimentId }));
  });

  it('responds 201 for a new file and 200 for a known one, with its prefix', async () => {
    const experimentId = await client.newExperiment();
    const announcement = { run: 'sweep/../a\\b', name: 'events.out.tfevents.1\\2', length: 10 };
    const made = await client.open(experimentId, announcement);
    expect(made).toMatchObject({ status: 201, json: { version: 1, offset: 0, crc32c: '00000000' } });
    const bytes = randomBytes(10);
    await client.append(fileIdOf(String(made.json['file_id'])), 0, bytes);
    const known = await client.open(experimentId, announcement);
    expect(known).toMatchObject({ status: 200, json: { file_id: made.json['file_id'], version: 1, offset: 10 } });
    expect(Number.parseInt(String(known.json['crc32c']), 16)).toBe(crc32c(bytes));
  });

  it('creates one file when two machines announce it at once', async () => {
    const experimentId = await client.newExperiment();
    const responses = await Promise.all(Array.from({ length: 8 }, () => client.open(experimentId, { run: 'a', name: 'x.tfevents.y' })));
    expect(new Set(responses.map(({ json }) => json['file_id'])).size).toBe(1);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('distinguishes versions by their prefix, from segments and from a joined original', async () => {
    const experimentId = await client.newExperiment();
    const name = 'events.out.tfevents.7';
    const open = async (more: object = {}) => (await client.open(experimentId, { run: 'r', name, ...more })).json;
    const prefixOf = (bytes: Uint8Array, length: number) => ({ prefix: { bytes: length, crc32c: crc32c(bytes.subarray(0, length)) } });
    const [one, two] = [randomBytes(100_000), randomBytes(100_000)];
    const first = fileIdOf(String((await open())['file_id']));
    await client.append(first, 0, one.subarray(0, 300));
    await client.append(first, 300, one.subarray(300, 90_000));

    expect(await open(prefixOf(one, 100_000))).toMatchObject({ version: 1, offset: 90_000 });
    for (const length of [0, 100, 300, 301, 89_999, 90_000])
      expect(await open(prefixOf(one, length)), `${length}`).toMatchObject({ version: 1 });
    expect(await open(prefixOf(two, 300))).toMatchObject({ version: 2, offset: 0 });
    // The empty second version is still a candidate.
    expect(await open(prefixOf(two, 50_000))).toMatchObject({ version: 2 });
    expect(await open({ new_version: true })).toMatchObject({ version: 3 });
    expect(await open()).toMatchObject({ version: 3 });

    await settle(first);
    await client.complete(first, one.subarray(0, 90_000));
    expect(await joinOriginal(service.store, service.blobs, client.tenantId, first)).toBe('joined');
    for (const length of [100, 89_999, 90_000]) expect(await open(prefixOf(one, length)), `${length}`).toMatchObject({ version: 1 });
    expect(await open(prefixOf(two, 200))).toMatchObject({ version: 3 });
  });

  it('creates one new version for repeated requests with the same key', async () => {
    const experimentId = await client.newExperiment();
    const body = { run: 'r', name: 'tfevents', new_version: true };
    const [first, second] = [
      await client.open(experimentId, body, { 'idempotency-key': 'k1' }),
      await client.open(experimentId, body, { 'idempotency-key': 'k1' }),
    ];
    expect(second.json).toEqual(first.json);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect((await client.open(experimentId, body, { 'idempotency-key': 'k2' })).json['version']).toBe(2);
  });

  it.each([
    ['a NUL in the run', { run: 'a\0b', name: 'tfevents' }, 'invalid-name'],
    ['an empty run', { run: '', name: 'tfevents' }, 'invalid-name'],
    ['a lone surrogate', { run: 'a\ud800', name: 'tfevents' }, 'invalid-name'],
    ['a run that is too long', { run: 'ä'.repeat(2_049), name: 'tfevents' }, 'name-too-long'],
    ['a file that is not an event file', { run: 'a', name: 'model.ckpt' }, 'invalid-name'],
    ['a folder in the file name', { run: 'a', name: 'x/tfevents' }, 'invalid-name'],
    ['a name that is too long', { run: 'a', name: `tfevents${'x'.repeat(4_096)}` }, 'name-too-long'],
    ['an unknown field', { run: 'a', name: 'tfevents', sise: 1 }, 'unknown-field'],
    ['an invalid prefix', { run: 'a', name: 'tfevents', prefix: { bytes: -1, crc32c: 0 } }, 'bad-request'],
  ])('rejects %s', async (_, body, code) => {
    const response = await client.open(await client.newExperiment(), body);
    expect(response.json['code']).toBe(code);
    expect(response.status).toBe(400);
  });

  it('keeps names byte for byte', async () => {
    const experimentId = await client.newExperiment();
    const names = ['..', '../..', 'C:\\logs', '%2e%2e', 'a\r\nb', '\u202e', 'n\u0303', '\u00f1', ' ', '.', '💥'];
    const ids = new Set<unknown>();
    for (const run of names) ids.add((await client.open(experimentId, { run, name: 'tfevents' })).json['file_id']);
    expect(ids.size).toBe(names.length);
  });

  it('accepts the same range or a part of it again, and no other that overlaps', async () => {
    const { fileId } = await client.newFile();
    const bytes = randomBytes(1_000);
    await client.append(fileId, 0, bytes.subarray(0, 400));
    await client.append(fileId, 400, bytes.subarray(400));
    expect(await client.append(fileId, 0, bytes.subarray(0, 400))).toMatchObject({
      status: 204,
      headers: { 'upload-offset': '1000', 'upload-epoch': '1' },
    });
    // A part of an acknowledged range, because ranges may have been joined since then.
    for (const [start, end] of [
      [0, 399],
      [1, 400],
      [999, 1_000],
    ] as const) {
      expect(await client.append(fileId, start, bytes.subarray(start, end))).toMatchObject({
        status: 204,
        headers: { 'upload-offset': '1000', 'upload-epoch': '2' },
      });
    }
    const conflicts: [number, Buffer][] = [
      [0, bytes],
      [399, bytes.subarray(399, 401)],
      [0, randomBytes(400)],
      [1, randomBytes(399)],
      [999, randomBytes(2)],
    ];
    for (const [offset, body] of conflicts) {
      expect(await client.append(fileId, offset, body)).toMatchObject({
        status: 409,
        json: { code: 'range-conflict', offset: 1_000, ranges: [] },
      });
    }
    expect(await client.stored(fileId)).toEqual(bytes);
  });

  it('keeps ranges beyond the prefix, reports them, and counts them once the gap is closed', async () => {
    const { fileId } = await client.newFile();
    const bytes = randomBytes(5 * 70_000);
    const part = (n: number) => bytes.subarray(n * 70_000, (n + 1) * 70_000);
    for (const n of [1, 2, 4]) {
      const response = await client.append(fileId, n * 70_000, part(n));
      expect(response).toMatchObject({ status: 204, headers: { 'upload-offset': '0' } });
      expect(response.headers['upload-epoch']).toBeUndefined();
    }
    expect(await fileState(fileId)).toEqual({ offset: 0, ranges: '70000-209999, 280000-349999' });
    expect(await client.append(fileId, 139_999, randomBytes(10))).toMatchObject({
      status: 409,
      json: {
        code: 'range-conflict',
        offset: 0,
        ranges: [
          { offset: 70_000, length: 140_000 },
          { offset: 280_000, length: 70_000 },
        ],
      },
    });
    expect(await client.append(fileId, 0, part(0))).toMatchObject({ headers: { 'upload-offset': '210000', 'upload-epoch': '1' } });
    expect(await client.append(fileId, 140_000, part(2))).toMatchObject({ headers: { 'upload-offset': '210000', 'upload-epoch': '1' } });
    expect(await client.append(fileId, 210_000, part(3))).toMatchObject({ headers: { 'upload-offset': '350000', 'upload-epoch': '2' } });
    expect(await fileState(fileId)).toEqual({ offset: 350_000, ranges: undefined });
    expect(await client.stored(fileId)).toEqual(bytes);
  });

  it('rejects a range beyond the window before it reads the body', async () => {
    const { fileId } = await client.newFile();
    const edge = await client.append(fileId, limits.uploadWindowBytes, Buffer.from('x'));
    expect(edge.status).toBe(204);
    const beyond = await client.append(fileId, limits.uploadWindowBytes + 2, Buffer.from('x'));
    expect(beyond).toMatchObject({ status: 409, json: { code: 'window-exceeded', offset: 0, window: limits.uploadWindowBytes } });
    expect((await client.position(fileId)).headers['upload-window']).toBe(String(limits.uploadWindowBytes));
  });

  it('responds 404 to other workspaces for everything', async () => {
    const stranger = await service.newClient();
    const { fileId, experimentId } = await client.newFile();
    await client.append(fileId, 0, Buffer.from('secret'));
    expect((await stranger.position(fileId)).status).toBe(404);
    expect((await stranger.append(fileId, 6, Buffer.from('x'))).json['code']).toBe('file-not-found');
    expect((await stranger.complete(fileId, Buffer.from('secret'))).json['code']).toBe('file-not-found');
    expect((await stranger.open(experimentId, { run: '.', name: 'tfevents' })).json['code']).toBe('experiment-not-found');
    for (const id of ['0', '-1', 'abc', '9'.repeat(19), '9'.repeat(30), '1%00'])
      expect((await client.position(fileIdOf(id))).status, id).toBe(404);
  });

  it('accepts nothing after the experiment is deleted, not even bodies in flight', async () => {
    const { fileId, experimentId } = await client.newFile();
    await client.append(fileId, 0, Buffer.from('abc'));
    await service.store.withTenant(client.tenantId, ({ trx }) =>
      trx
        .updateTable('experiment')
        .set({ deleted_at: new Date() })
        .where('tenant_id', '=', client.tenantId)
        .where('experiment_id', '=', experimentId)
        .execute(),
    );
    expect((await client.append(fileId, 3, Buffer.from('d'))).json['code']).toBe('experiment-not-found');
    expect((await client.position(fileId)).status).toBe(404);
    expect((await client.complete(fileId, Buffer.from('abc'))).json['code']).toBe('experiment-not-found');
    expect((await client.open(experimentId, { run: 'x', name: 'tfevents' })).json['code']).toBe('experiment-not-found');
  });

  it('changes nothing when the digest is wrong, whichever bit flipped', async () => {
    const { fileId } = await client.newFile();
    const body = randomBytes(2_000);
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length * 8 - 1), fc.constantFrom('identity', 'zstd', 'gzip'), async (bit, coding) => {
        const sent = Buffer.from(coding === 'identity' ? body : coding === 'zstd' ? zstdCompressSync(body) : gzipSync(body));
        const digest = digestOf(sent);
        sent[bit >> 3]! ^= 1 << (bit & 7);
        const response = await client.append(fileId, 0, sent, { 'content-digest': digest, 'content-encoding': coding });
        expect(response.json['code']).toBe('digest-mismatch');
      }),
      { numRuns: 60 },
    );
    expect(await fileState(fileId)).toEqual({ offset: 0, ranges: undefined });
  });

  it('accepts sha-256 too, verifies every digest that it knows, and ignores others', async () => {
    const { fileId } = await client.newFile();
    const body = Buffer.from('hello');
    const sha256 = (bytes: Uint8Array) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
    const send = (digest: string | undefined) => client.append(fileId, 0, body, { 'content-digest': digest });
    expect((await send(undefined)).json['code']).toBe('digest-missing');
    expect((await send('md5=:AAAA:')).json['code']).toBe('digest-missing');
    expect((await send('crc32c=12345')).json['code']).toBe('bad-request');
    expect((await send('crc32c=:AAAAAAA=:')).json['code']).toBe('bad-request');
    expect((await send(sha256(Buffer.from('other')))).json['code']).toBe('digest-mismatch');
    expect((await send(`${digestOf(body)}, ${sha256(Buffer.from('other'))}`)).json['code']).toBe('digest-mismatch');
    expect((await send(`md5=:AAAA:, ${sha256(body)}`)).status).toBe(204);
  });

  it.each([undefined, '', '-1', '1.5', '0x10', '9007199254740992', 'abc'])('rejects the Upload-Offset %j', async (offset) => {
    const { fileId } = await client.newFile();
    expect((await client.append(fileId, 0, Buffer.from('x'), { 'upload-offset': offset })).json['code']).toBe('bad-request');
  });

  it('decodes zstd and gzip, and counts decoded bytes', async () => {
    const { fileId } = await client.newFile();
    const text = Buffer.from('the same again '.repeat(10_000));
    const noise = randomBytes(200_000);
    const parts: [Buffer, Buffer, string][] = [
      [text, zstdCompressSync(text), 'zstd'],
      [text, gzipSync(text), 'gzip'],
      [noise, zstdCompressSync(noise), 'zstd'],
      [Buffer.concat([text, noise]), Buffer.concat([zstdCompressSync(text), zstdCompressSync(noise)]), 'zstd'],
      [Buffer.concat([noise, text]), Buffer.concat([gzipSync(noise), gzipSync(text)]), 'GZIP'],
    ];
    let offset = 0;
    for (const [plain, sent, coding] of parts) {
      const response = await client.append(fileId, offset, sent, { 'content-encoding': coding });
      offset += plain.length;
      expect(response).toMatchObject({ status: 204, headers: { 'upload-offset': String(offset) } });
    }
    expect((await client.stored(fileId)).equals(Buffer.concat(parts.map(([plain]) => plain)))).toBe(true);
    // The same bytes in another coding are the same range.
    expect((await client.append(fileId, 0, text)).status).toBe(204);
  });

  it('decodes columns, and stores them unchanged', async () => {
    const { fileId } = await client.newFile();
    // Cut inside records, so that ranges start and end with partial records.
    const cuts = [0, 50_001, 130_003, 130_040, scalarLog.length];
    for (let i = 0; i + 1 < cuts.length; i++) {
      const part = scalarLog.subarray(cuts[i], cuts[i + 1]);
      const block = (await encodeBlock(part, crc32c(part))) ?? part;
      const coding = block === part ? 'identity' : 'plotline-columns';
      const response = await client.append(fileId, cuts[i]!, block, { 'content-encoding': coding });
      expect(response).toMatchObject({ status: 204, headers: { 'upload-offset': String(cuts[i + 1]) } });
    }
    expect((await client.stored(fileId)).equals(scalarLog)).toBe(true);
    // The same bytes without the coding, or in other blocks, are the same range.
    expect((await client.append(fileId, 0, scalarLog.subarray(0, 50_001))).status).toBe(204);
    const other = Buffer.from(scalarLog.subarray(0, 50_001));
    other[100]! ^= 1;
    const changed = (await encodeBlock(other, crc32c(other)))!;
    expect((await client.append(fileId, 0, changed, { 'content-encoding': 'plotline-columns' })).json['code']).toBe('range-conflict');
    expect((await client.complete(fileId, scalarLog)).status).toBe(200);
    const encodings = await service.store.withTenant(client.tenantId, ({ trx }) =>
      trx
        .selectFrom('segment')
        .select('encoding')
        .where('tenant_id', '=', client.tenantId)
        .where('file_id', '=', fileId)
        .orderBy('offset')
        .execute(),
    );
    expect(encodings.map(({ encoding }) => encoding)).toEqual([3, 3, 0, 3]);
  });

  it('rejects blocks of columns that are malformed or do not match their header', async () => {
    const { fileId } = await client.newFile();
    const good = (await encodeBlock(scalarLog, crc32c(scalarLog)))!;
    const changed = (at: number): Buffer => {
      const block = Buffer.from(good);
      block[at]! ^= 1;
      return block;
    };
    const send = async (block: Buffer) => (await client.append(fileId, 0, block, { 'content-encoding': 'plotline-columns' })).json['code'];
    for (const at of [1, 5, 9, 13, 20, 2_000, good.length - 1]) expect(await send(changed(at)), `byte ${at}`).toBe('corrupt-encoding');
    expect(await send(good.subarray(0, 12))).toBe('corrupt-encoding');
    expect(await send(Buffer.alloc(0))).toBe('corrupt-encoding');
    expect(await send(Buffer.concat([good, Buffer.from('x')]))).toBe('corrupt-encoding');
    const newer = Buffer.from(good);
    newer[0] = 200;
    expect(await send(newer)).toBe('unsupported-encoding');
    const large = Buffer.from(good);
    large.writeUInt32LE(16 * MiB + 1, 1);
    expect(await send(large)).toBe('body-too-large');
    expect(await fileState(fileId)).toEqual({ offset: 0, ranges: undefined });
    expect(await send(good)).toBeUndefined();
  });

  it('rejects invalid encodings', async () => {
    const { fileId } = await client.newFile();
    const good = zstdCompressSync(randomBytes(1_000));
    for (const [body, coding] of [
      [good.subarray(0, good.length - 1), 'zstd'],
      [Buffer.concat([good, Buffer.from('tail')]), 'zstd'],
      [randomBytes(100), 'zstd'],
      [randomBytes(100), 'gzip'],
      [Buffer.alloc(0), 'zstd'],
      [Buffer.concat(Array.from({ length: 70 }, () => zstdCompressSync(Buffer.from('x')))), 'zstd'],
    ] as const) {
      expect((await client.append(fileId, 0, body, { 'content-encoding': coding })).json['code']).toBe('corrupt-encoding');
    }
    expect(await client.append(fileId, 0, good, { 'content-encoding': 'br' })).toMatchObject({
      status: 415,
      json: { code: 'unsupported-encoding' },
    });
    expect(await fileState(fileId)).toEqual({ offset: 0, ranges: undefined });
  });

  it('cuts bombs at the limit', async () => {
    const { fileId } = await client.newFile();
    const zeros = Buffer.alloc(300 * MiB);
    const before = process.memoryUsage().rss;
    for (const [body, coding] of [
      [gzipSync(zeros), 'gzip'],
      [zstdCompressSync(zeros), 'zstd'],
    ] as const) {
      expect(await client.append(fileId, 0, body, { 'content-encoding': coding })).toMatchObject({
        status: 413,
        json: { code: 'body-too-large' },
      });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MiB);
    expect(service.budget.usedBytes).toBe(0);
  });

  it('accepts a range of the largest size, and rejects one byte more before or while it is read', async () => {
    const { fileId } = await client.newFile();
    const body = Buffer.alloc(limits.maxAppendBytes + 1, 7);
    expect((await client.append(fileId, 0, body.subarray(1))).status).toBe(204);
    const rejected = await new Promise<number>((resolve, reject) => {
      // Only the headers are sent, but the response arrives anyway.
      const request = httpRequest(
        {
          port: service.port,
          host: '127.0.0.1',
          method: 'PATCH',
          path: `/api/v1/files/${fileId}`,
          headers: { ...client.headers, 'upload-offset': '1', 'content-digest': digestOf(body), 'content-length': String(body.length) },
        },
        (response) => {
          resolve(response.statusCode!);
          request.destroy();
        },
      );
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(rejected).toBe(413);
  });

  it('accepts an empty body and changes nothing', async () => {
    const { fileId } = await client.newFile();
    await client.append(fileId, 0, Buffer.from('abc'));
    expect(await client.append(fileId, 3, Buffer.alloc(0))).toMatchObject({ status: 204, headers: { 'upload-offset': '3' } });
  });

  it('completes a file only with all bytes and the right checksum; an append opens it again', async () => {
    const { fileId } = await client.newFile();
    const bytes = randomBytes(1_000);
    await client.append(fileId, 0, bytes.subarray(0, 900));
    expect(await client.complete(fileId, bytes)).toMatchObject({ status: 409, json: { code: 'incomplete-file', offset: 900 } });
    expect(await client.complete(fileId, randomBytes(900))).toMatchObject({ status: 409, json: { code: 'checksum-mismatch' } });
    expect(await client.complete(fileId, bytes.subarray(0, 800))).toMatchObject({ status: 409, json: { code: 'checksum-mismatch' } });
    for (let i = 0; i < 2; i++) {
      expect(await client.complete(fileId, bytes.subarray(0, 900))).toMatchObject({
        status: 200,
        headers: { 'upload-epoch': '1' },
        json: { bytes: 900, version: 1, epoch: 1 },
      });
    }
    await client.append(fileId, 950, bytes.subarray(950));
    expect(await client.complete(fileId, bytes.subarray(0, 900))).toMatchObject({
      status: 409,
      json: {
        code: 'incomplete-file',
        ranges: [{ offset: 950, length: 50 }],
        detail: expect.stringMatching(
          /durable up to 900, .* after a gap .* from 950 up to 1000 \(see ranges\)\. Send the missing bytes from 900 up to 950 first; .* announce a new version/,
        ) as string,
      },
    });
    await client.append(fileId, 900, bytes.subarray(900, 950));
    expect(await client.complete(fileId, bytes)).toMatchObject({ status: 200, headers: { 'upload-epoch': '2' } });
  });

  it('completes a file with its last range, once everything before is there; the same range again reports the same', async () => {
    const { fileId, experimentId } = await client.newFile();
    const bytes = randomBytes(300);
    const last = { 'upload-complete': '?1' };
    const early = await client.append(fileId, 200, bytes.subarray(200), last);
    expect([early.status, early.headers['upload-complete']]).toEqual([204, undefined]);
    const middle = await client.append(fileId, 0, bytes.subarray(0, 200));
    expect([middle.status, middle.headers['upload-offset'], middle.headers['upload-complete']]).toEqual([204, '300', undefined]);
    const again = await client.append(fileId, 200, bytes.subarray(200), last);
    expect([again.status, again.headers['upload-complete']]).toEqual([204, '?1']);
    expect((await client.complete(fileId, bytes)).status).toBe(200);

    const { json } = await client.open(experimentId, { run: 'whole', name: 'tfevents.2' });
    const whole = fileIdOf(String(json['file_id']));
    for (let n = 0; n < 2; n++) {
      const { status, headers } = await client.append(whole, 0, bytes, last);
      expect([status, headers['upload-offset'], headers['upload-complete']]).toEqual([204, '300', '?1']);
      expect(headers['upload-epoch']).toBeDefined();
    }
    const completed = () => service.store.withTenant(client.tenantId, async (scope) => (await readFile(scope, whole))?.completedBytes);
    expect(await completed()).toBe(300);
    const more = await client.append(whole, 300, bytes);
    expect(await completed()).toBeNull();
    expect([more.status, more.headers['upload-complete']]).toEqual([204, undefined]);
    expect((await client.append(whole, 600, bytes, { 'upload-complete': 'yes' })).json).toMatchObject({ code: 'bad-request' });
  });

  it('completes an empty file', async () => {
    const { fileId } = await client.newFile();
    expect(await client.complete(fileId, Buffer.alloc(0))).toMatchObject({ status: 200, headers: { 'upload-epoch': '0' } });
  });

  it('continues after a joined original, and recognizes its ranges', async () => {
    const { fileId } = await client.newFile();
    const bytes = randomBytes(400_000);
    await client.append(fileId, 0, bytes.subarray(0, 100_000));
    await client.append(fileId, 100_000, bytes.subarray(100_000, 300_000));
    await client.complete(fileId, bytes.subarray(0, 300_000));
    expect(await joinOriginal(service.store, service.blobs, client.tenantId, fileId)).toBe('not-ready'); // a worker still has to read it
    await settle(fileId);
    expect(await joinOriginal(service.store, service.blobs, client.tenantId, fileId)).toBe('joined');
    expect(await client.append(fileId, 0, bytes.subarray(0, 100_000))).toMatchObject({
      status: 204,
      headers: { 'upload-offset': '300000', 'upload-epoch': '2' },
    });
    expect((await client.append(fileId, 0, randomBytes(100_000))).json['code']).toBe('range-conflict');
    expect((await client.append(fileId, 299_999, bytes.subarray(299_999))).json['code']).toBe('range-conflict');
    expect(await client.append(fileId, 300_000, bytes.subarray(300_000))).toMatchObject({
      status: 204,
      headers: { 'upload-offset': '400000', 'upload-epoch': '3' },
    });
    expect((await client.stored(fileId)).equals(bytes)).toBe(true);
    expect(await joinOriginal(service.store, service.blobs, client.tenantId, fileId)).toBe('not-ready');
    await client.complete(fileId, bytes);
    await settle(fileId);
    expect(await joinOriginal(service.store, service.blobs, client.tenantId, fileId)).toBe('joined');
    expect(await joinOriginal(service.store, service.blobs, client.tenantId, fileId)).toBe('nothing-to-do');
    expect((await client.stored(fileId)).equals(bytes)).toBe(true);
  });

  it('ends with the same bytes for any order, repeats and errors, and never lowers an offset', async () => {
    const piece = fc.nat(11);
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('send' as const), piece }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('wrong-bytes' as const), piece }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('shifted' as const), piece }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('wrong-digest' as const), piece }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 12, maxLength: 12 }),
        async (actions, lengths) => {
          const { fileId } = await client.newFile();
          const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0));
          const bytes = randomBytes(lengths.reduce((a, b) => a + b, 0));
          const part = (n: number) => bytes.subarray(starts[n], starts[n]! + lengths[n]!);
          const offsets: number[] = [];
          const seen = async (response: Promise<{ status: number; headers: Record<string, unknown> }>) => {
            const before = offsets.at(-1) ?? 0;
            const { status, headers } = await response;
            expect(status).toBeLessThan(500);
            if (status !== 204) return;
            // Responses to concurrent requests can arrive in any order. Each one must include what
            // was known when it was sent.
            expect(Number(headers['upload-offset'])).toBeGreaterThanOrEqual(before);
            offsets.push(Math.max(Number(headers['upload-offset']), offsets.at(-1) ?? 0));
          };
          const run = (n: number, kind: string) => {
            if (kind === 'wrong-bytes') return client.append(fileId, starts[n]!, Buffer.alloc(lengths[n]!, 1)).then(() => undefined);
            if (kind === 'shifted' && n > 0 && lengths[n]! > 1) return client.append(fileId, starts[n]! + 1, part(n)).then(() => undefined);
            if (kind === 'wrong-digest')
              return client.append(fileId, starts[n]!, part(n), { 'content-digest': 'crc32c=:AAAAAA==:' }).then(() => undefined);
            return seen(client.append(fileId, starts[n]!, part(n)));
          };
          const mistaken = actions.filter(({ kind }) => kind === 'wrong-bytes' || kind === 'shifted');
          // A faulty range that arrived first would win, so it is sent after the pieces that it
          // overlaps.
          for (const { piece: n } of mistaken) {
            await seen(client.append(fileId, starts[n]!, part(n)));
            if (n > 0) await seen(client.append(fileId, starts[n - 1]!, part(n - 1)));
            if (n < 11) await seen(client.append(fileId, starts[n + 1]!, part(n + 1)));
          }
          for (let at = 0; at < actions.length; at += 4) await Promise.all(actions.slice(at, at + 4).map((a) => run(a.piece, a.kind)));
          await Promise.all(lengths.map((_, n) => client.append(fileId, starts[n]!, part(n))));
          expect(await fileState(fileId)).toEqual({ offset: bytes.length, ranges: undefined });
          expect((await client.complete(fileId, bytes)).status).toBe(200);
          expect((await client.stored(fileId)).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('lists exactly the contiguous ranges as pending, each with the epoch that acknowledged it, and counts their bytes', async () => {
    const { fileId, experimentId } = await client.newFile();
    await client.append(fileId, 100, randomBytes(50));
    const pending = () =>
      service.store.withTenant(client.tenantId, ({ trx }) =>
        trx
          .selectFrom('pending_segment')
          .select(['offset', 'length', 'epoch'])
          .where('tenant_id', '=', client.tenantId)
          .where('file_id', '=', fileId)
          .orderBy('offset')
          .execute(),
      );
    const epochs = () =>
      service.store.withTenant(client.tenantId, ({ trx }) =>
        trx
          .selectFrom('experiment_epoch')
          .select(['acknowledged_epoch', 'acknowledged_bytes', 'acknowledged_at'])
          .where('tenant_id', '=', client.tenantId)
          .where('experiment_id', '=', experimentId)
          .executeTakeFirst(),
      );
    expect(await pending()).toEqual([]);
    expect(await epochs()).toEqual({ acknowledged_epoch: '0', acknowledged_bytes: '0', acknowledged_at: null });
    await client.append(fileId, 0, randomBytes(60));
    const first = (await epochs())!.acknowledged_at!;
    await client.append(fileId, 60, randomBytes(40));
    expect(await pending()).toEqual([
      { offset: '0', length: 60, epoch: '1' },
      { offset: '60', length: 40, epoch: '2' },
      { offset: '100', length: 50, epoch: '2' },
    ]);
    const last = await epochs();
    expect(last).toMatchObject({ acknowledged_epoch: '2', acknowledged_bytes: '150' });
    expect(last!.acknowledged_at!.getTime()).toBeGreaterThan(first.getTime());
    await client.append(fileId, 60, randomBytes(40)); // rejected or already stored, so nothing was added
    expect(await epochs()).toEqual(last);
  });

  it('leaves no object of a rejected range', async () => {
    const { fileId } = await client.newFile();
    await client.append(fileId, 0, randomBytes(200_000));
    const other = randomBytes(200_000);
    expect((await client.append(fileId, 0, other)).status).toBe(409);
    const left: string[] = [];
    for await (const { key } of service.blobs.list(client.tenantId, `segment/${fileId}/`)) left.push(key);
    expect(left).toHaveLength(1);
  });

  it('detects bytes that were damaged in storage', async () => {
    const { fileId } = await client.newFile();
    const body = randomBytes(100_000);
    await client.append(fileId, 0, body);
    await client.append(fileId, 100_000, body);
    const keys: string[] = [];
    for await (const { key } of service.blobs.list(client.tenantId, `segment/${fileId}/0-`)) keys.push(key);
    const key = keys[0]!;
    await service.blobs.delete(client.tenantId, key);
    const flipped = Buffer.from(body);
    flipped[50_000]! ^= 4;
    await service.blobs.put(client.tenantId, key, flipped);
    await expect(client.stored(fileId)).rejects.toThrow(/checksum of the segment at 0/);
  });

  it('drops a stalled body, and keeps what was acknowledged before', async () => {
    const hasty = await UploadService.start({ idleTimeoutMs: 100 });
    try {
      const slow = await hasty.newClient();
      const { fileId } = await slow.newFile();
      await slow.append(fileId, 0, Buffer.from('kept'));
      const response = await new Promise<string>((resolve, reject) => {
        const socket = connect(hasty.port, '127.0.0.1');
        socket.setEncoding('utf8').on('error', reject);
        let text = '';
        socket.on('data', (piece) => (text += String(piece))).on('close', () => resolve(text));
        socket.write(
          `PATCH /api/v1/files/${fileId} HTTP/1.1\r\nHost: x\r\nAuthorization: ${slow.headers.authorization}\r\nUpload-Offset: 4\r\nContent-Digest: ${digestOf(Buffer.from('12345'))}\r\nContent-Length: 5\r\n\r\n123`,
        );
      });
      expect(response).toMatch(/^HTTP\/1.1 408 /);
      expect(response).toContain('"code":"body-timeout"');
      expect((await slow.position(fileId)).headers['upload-offset']).toBe('4');
      expect(hasty.budget.usedBytes).toBe(0);
    } finally {
      await hasty.stop();
    }
  });

  it('receives many bodies at once in little memory, and completes all', async () => {
    const tight = await UploadService.start({ budgetBytes: MiB });
    try {
      const writer = await tight.newClient();
      const { fileId } = await writer.newFile();
      const bytes = randomBytes(24 * MiB);
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, n) => writer.append(fileId, n * 3 * MiB, bytes.subarray(n * 3 * MiB, (n + 1) * 3 * MiB))),
      );
      expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 204));
      expect((await writer.stored(fileId)).equals(bytes)).toBe(true);
      expect(tight.budget.usedBytes).toBe(0);
    } finally {
      await tight.stop();
    }
  });

  it('rejects bytes while the disk is nearly full', async () => {
    const full = await UploadService.start({ reserveBytes: Number.MAX_SAFE_INTEGER });
    try {
      const writer = await full.newClient();
      const { fileId } = await writer.newFile();
      const response = await writer.append(fileId, 0, Buffer.from('x'));
      expect(response).toMatchObject({ status: 507, json: { code: 'insufficient-storage' } });
      expect(response.headers['retry-after']).toBeDefined();
    } finally {
      await full.stop();
    }
  });

  /** Acts like a worker that has ingested the bytes. */
  async function settle(fileId: FileId): Promise<void> {
    await service.store.withIngest(client.tenantId, ({ trx }) =>
      trx.deleteFrom('pending_segment').where('tenant_id', '=', client.tenantId).where('file_id', '=', fileId).execute(),
    );
  }
});
