import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { zstdDecompressSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlobDamaged, blobKey, tensorKey } from '#blobs';
import { decodeStoredSeries } from '#chunks';
import type { DtypeName, ExperimentId, FileId, RunId } from '#model';
import { SeriesWorld, pointsOf } from '#series/testing';
import { copyBlobSequences, copyTensors } from '#store';
import { describeWith } from '#testing';
import { type ApiResponse, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(1000, 7)]);

describeWith(['postgres'], 'points over REST', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let stranger: TestTenant;
  let world: SeriesWorld;
  let experiment: ExperimentId;
  let fileId: FileId;
  let runId: RunId;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    stranger = await service.tenant('Other');
    experiment = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    world = await SeriesWorld.over({ database: service.database, tenantId: tenant.tenantId, experimentId: experiment });
    runId = await world.run('run,"1"');
    fileId = await world.file(runId, 'events.1');
  });
  afterAll(async () => {
    await world?.close();
    await service?.close();
  });

  const query = (what: string, body: unknown, headers?: Record<string, string>, as: TestTenant | null = tenant): Promise<ApiResponse> =>
    service.call(as, 'POST', `/api/v1/experiments/${experiment}/${what}/query`, { body, headers });
  const series = async (tag: string, points: ReturnType<typeof pointsOf>): Promise<void> => {
    await world.storePoints(await world.series(runId, tag), [{ fileId, points }]);
  };

  const odd = pointsOf([
    [-(2n ** 63n), 1e300, Number.NaN],
    [-1, Number.NaN, -0],
    [2n ** 53n - 1n, 0, 5e-324],
    [2n ** 53n, -5.5, Infinity],
    [2n ** 63n - 1n, 1.5, -Infinity],
  ]);

  it('writes NaN and infinities as strings, -0 as -0.0, and int64 beyond 2^53 as strings', async () => {
    await series('odd', odd);
    const { text, status } = await query('scalars', { tags: ['odd'] });
    expect(status).toBe(200);
    expect(text).toContain(
      '"columns":{"step":["-9223372036854775808",-1,9007199254740991,"9007199254740992","9223372036854775807"],"wall_time":[1e+300,"NaN",0,-5.5,1.5],"value":["NaN",-0.0,5e-324,"Infinity","-Infinity"]}',
    );
    expect(text).toContain('"run":"run,\\"1\\"","tag":"odd","sampling":"raw","exact":true,"source_points":5');
  });

  it('has infinities in min and max, and counts them, for any range', async () => {
    const values = [1, Infinity, Number.NaN, 2, 3, -4, Number.NaN, Number.NaN, 5];
    await series('infinite', pointsOf(values.map((value, step) => [step, step, value] as const)));
    const { json } = await query('scalars', { tags: ['infinite'], points: 1 });
    const bucket = { min: [-4], max: ['Infinity'], nan_count: [3], inf_count: [1], neg_inf_count: [0], count: [9] };
    expect(json.series[0].columns).toMatchObject(bucket);
    const part = await query('scalars', { tags: ['infinite'], points: 1, steps: { from: 2, to: 7 } });
    expect(part.json.series[0]).toMatchObject({ sampling: 'minmax', source_points: 6 });
    expect(part.json.series[0].columns).toMatchObject({
      min: [-4],
      max: [3],
      nan_count: [3],
      count: [6],
      step: [2],
      last_step: [7],
      wall_time: [2],
    });
  });

  it('returns the same as CSV, Arrow, JSON Lines and Parquet, bit for bit', async () => {
    const csv = await query('scalars', { tags: ['odd'] }, { accept: 'text/csv' });
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text.split('\r\n').slice(0, 3)).toEqual([
      'run,tag,step,wall_time,value',
      '"run,""1""",odd,-9223372036854775808,1e+300,NaN',
      '"run,""1""",odd,-1,NaN,-0.0',
    ]);
    const response = await fetch(`${service.base}/api/v1/experiments/${experiment}/scalars?tag=odd`, {
      headers: { authorization: `Bearer ${tenant.token}`, accept: 'application/vnd.apache.arrow.stream' },
    });
    const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
    expect(table.schema.fields.map((field) => field.name)).toEqual(['run', 'tag', 'step', 'wall_time', 'value']);
    expect(table.getChild('step')!.toArray()).toEqual(odd.steps);
    expect(new BigInt64Array(Float64Array.from(table.getChild('value')!.toArray() as Float64Array).buffer)).toEqual(
      new BigInt64Array(odd.values.slice().buffer),
    );
    expect(String(table.getChild('run')!.get(0))).toBe('run,"1"');

    const lines = await query('scalars', { tags: ['odd'] }, { accept: 'application/x-ndjson' });
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(lines.text.split('\n').slice(0, 2)).toEqual([
      '{"run":"run,\\"1\\"","tag":"odd","step":"-9223372036854775808","wall_time":1e+300,"value":"NaN"}',
      '{"run":"run,\\"1\\"","tag":"odd","step":-1,"wall_time":"NaN","value":-0.0}',
    ]);
    const parquet = await fetch(`${service.base}/api/v1/experiments/${experiment}/scalars?tag=odd`, {
      headers: { authorization: `Bearer ${tenant.token}`, accept: 'application/vnd.apache.parquet' },
    });
    expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    const rows = (await parquetReadObjects({
      file: await parquet.arrayBuffer(),
      compressors: { ZSTD: (bytes) => new Uint8Array(zstdDecompressSync(bytes)) },
    })) as { run: string; step: bigint; value: number }[];
    expect(rows.map(({ step }) => step)).toEqual([...odd.steps]);
    expect(rows.every(({ value }, i) => Object.is(value, odd.values[i]))).toBe(true);
    expect(rows[0]!.run).toBe('run,"1"');
  });

  it('names the writers of stored chunks where JSON does', async () => {
    for (const [tag, writer] of [
      ['both', 0],
      ['both', 1],
      ['late', 1],
    ] as const)
      await world.storePoints(await world.series(runId, tag, { writer }), [{ fileId, points: pointsOf([[writer, 0, writer]]) }]);
    for (const tags of [['both'], ['late'], ['both', 'late']]) {
      const json = (await query('scalars', { tags, sampling: 'raw' })).json.series as { tag: string; writer?: number }[];
      const response = await fetch(`${service.base}/api/v1/experiments/${experiment}/scalars/query`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tenant.token}`,
          'content-type': 'application/json',
          accept: 'application/vnd.plotline.chunks',
        },
        body: JSON.stringify({ tags, sampling: 'raw' }),
      });
      const stored = [...decodeStoredSeries(new Uint8Array(await response.arrayBuffer()))];
      expect(stored.map(({ tag, writer }) => [tag, writer])).toEqual(json.map(({ tag, writer }) => [tag, writer ?? 0]));
    }
  });

  it('returns raw points as stored chunks, or Arrow where the query selects some of them', async () => {
    const accept = 'application/vnd.plotline.chunks, application/vnd.apache.arrow.stream;q=0.9';
    const send = (body: object) =>
      fetch(`${service.base}/api/v1/experiments/${experiment}/scalars/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json', accept },
        body: JSON.stringify(body),
      });
    const response = await send({ tags: ['odd'], sampling: 'raw' });
    expect(response.headers.get('content-type')).toBe('application/vnd.plotline.chunks');
    const [found, ...others] = decodeStoredSeries(new Uint8Array(await response.arrayBuffer()));
    expect([found!.run, found!.tag, found!.writer, others]).toEqual(['run,"1"', 'odd', 0, []]);
    expect(found!.steps).toEqual(odd.steps);
    expect(new BigInt64Array(found!.values.buffer)).toEqual(new BigInt64Array(odd.values.slice().buffer));
    for (const some of [{ superseded: true }, { steps: { from: -1 } }, { columns: ['step'] }, { sampling: 'minmax' }]) {
      const table = await send({ tags: ['odd'], sampling: 'raw', ...some });
      expect(table.headers.get('content-type'), JSON.stringify(some)).toBe('application/vnd.apache.arrow.stream');
      await table.arrayBuffer();
    }
  });

  it('returns all series of a table as buckets if one is in buckets', async () => {
    await series('long', pointsOf(Array.from({ length: 50 }, (_, i) => [i, i, i] as const)));
    const { text } = await query('scalars', { tags: ['odd', 'long'], points: 10 }, { accept: 'text/csv' });
    expect(text.split('\r\n')[0]).toBe(
      'run,tag,step,last_step,count,first,last,min,max,min_step,max_step,wall_time,nan_count,inf_count,neg_inf_count',
    );
    expect(text.split('\r\n').length).toBe(1 + 10 + 5 + 1);
    const table = tableFromIPC(
      Buffer.from(
        await (
          await fetch(`${service.base}/api/v1/experiments/${experiment}/scalars?tag=long&points=10&columns=step,max`, {
            headers: { authorization: `Bearer ${tenant.token}`, accept: 'application/vnd.apache.arrow.stream' },
          })
        ).arrayBuffer(),
      ),
    );
    expect([...(table.getChild('max')!.toArray() as Float64Array)]).toEqual([4, 9, 14, 19, 24, 29, 34, 39, 44, 49]);
    expect(
      tableFromIPC(
        Buffer.from(
          await (
            await fetch(`${service.base}/api/v1/experiments/${experiment}/scalars?tag=none`, {
              headers: { authorization: `Bearer ${tenant.token}`, accept: 'application/vnd.apache.arrow.stream' },
            })
          ).arrayBuffer(),
        ),
      ).numRows,
    ).toBe(0);
  });

  it('prefixes names that spreadsheets would run with an apostrophe, on request', async () => {
    const formula = `=HYPERLINK("x")`;
    await series(formula, pointsOf([[0, 0, 1] as const]));
    const rows = async (guard_formulas: boolean): Promise<string> =>
      (await query('scalars', { tags: [formula], guard_formulas }, { accept: 'text/csv' })).text.split('\r\n')[1]!;
    expect(await rows(false)).toContain(',"=HYPERLINK(""x"")",0,');
    expect(await rows(true)).toContain(`,"'=HYPERLINK(""x"")",0,`);
  });

  it('answers a GET like the POST query, and selects columns', async () => {
    const posted = await query('scalars', { runs: ['run,"1"'], tags: ['long'], steps: { from: '3', to: 6 }, columns: ['value'] });
    const got = await service.call(
      tenant,
      'GET',
      `/api/v1/experiments/${experiment}/scalars?run=${encodeURIComponent('run,"1"')}&tag=long&from=3&to=6&columns=value`,
    );
    expect(got.text).toBe(posted.text);
    expect(got.json.series[0].columns).toEqual({ value: [3, 4, 5, 6] });
  });

  it('pages raw points by tokens that match only their query', async () => {
    const first = await query('scalars', { tags: ['long'], sampling: 'raw', page_size: 30 });
    const token = first.json.next_page_token as string;
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    const second = await query('scalars', { tags: ['long'], sampling: 'raw', page_size: 1_000_000, page_token: token });
    expect(second.json.series[0].columns.step).toEqual(Array.from({ length: 20 }, (_, i) => 30 + i));
    expect(second.json).not.toHaveProperty('next_page_token');
    expect((await query('scalars', { tags: ['odd'], sampling: 'raw', page_token: token })).json.code).toBe('invalid-page-token');
    expect((await query('scalars', { tags: ['long'], sampling: 'raw', page_token: 'AAAA' })).json.code).toBe('invalid-page-token');
  });

  it('responds 304 while nothing has changed', async () => {
    const first = await query('scalars', { tags: ['long'] });
    const tag = first.headers.get('etag')!;
    const again = await query('scalars', { tags: ['long'] }, { 'if-none-match': tag });
    expect([again.status, again.text]).toEqual([304, '']);
    await series('fresh', pointsOf([[1, 1, 1]]));
    expect((await query('scalars', { tags: ['long', 'fresh'] }, { 'if-none-match': tag })).status).toBe(200);
  });

  it('rejects unknown fields by name', async () => {
    expect((await query('scalars', { tag: 'odd' })).json).toMatchObject({ code: 'unknown-field', fields: ['tag'] });
    for (const body of [
      { points: 0 },
      { steps: { from: '1.5' } },
      { steps: { to: '9223372036854775808' } },
      { sampling: 'some' },
      { columns: ['nothing'] },
      { runs: ['a\0b'] },
    ]) {
      expect((await query('scalars', body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await query('scalars', {}, {}, stranger)).json.code).toBe('experiment-not-found');
    expect((await query('scalars', {}, {}, null)).status).toBe(401);
    expect((await query('tensors', {}, {}, stranger)).json.code).toBe('experiment-not-found');
    expect((await query('blob-sequences', {}, {}, stranger)).json.code).toBe('experiment-not-found');
  });

  it('waits for an epoch, and reports a timeout', async () => {
    expect((await query('scalars', { tags: [], wait_for: 0 })).status).toBe(200);
    expect((await query('scalars', { tags: [], wait_for: 7, timeout: 0.05 })).json).toMatchObject({ code: 'not-visible-yet', status: 408 });
  });

  it('returns tensors of any type, large ones from the blob store, and samples evenly including the last', async () => {
    const seriesId = await world.series(runId, 'weights', { dataClass: 'tensor', plugin: 'histograms' });
    const text = (value: string | Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, Buffer.byteLength(value)]), Buffer.from(value)]);
    const large = Buffer.from(new Float32Array(5_000).fill(0.5).buffer);
    const hash = createHash('sha256').update(large).digest();
    await service.blobs.put(tenant.tenantId, tensorKey(hash), large);
    const bodies: [DtypeName, number[], Buffer][] = [
      ['float32', [2], Buffer.from(Float32Array.of(0.5, -0).buffer)],
      ['int64', [2], Buffer.from(BigInt64Array.of(1n, -(2n ** 63n)).buffer)],
      ['bfloat16', [3], Buffer.from([0x80, 0x3f, 0x80, 0x7f, 0xc0, 0x7f])],
      ['float16', [2], Buffer.from([0x00, 0x3c, 0x01, 0x00])],
      ['complex64', [1], Buffer.from(Float32Array.of(1, -2).buffer)],
      ['bool', [2], Buffer.from([1, 0])],
      ['string', [2], Buffer.concat([text('ä'), text(Buffer.from([0xff]))])],
      ['float8_e5m2', [1], Buffer.from([60])],
      ['float64', [], Buffer.from(Float64Array.of(Number.NaN).buffer)],
    ];
    const row = (ordinal: number, dtype: DtypeName, shape: number[]) => ({
      seriesId,
      fileId,
      ordinal,
      recordOffset: ordinal,
      step: BigInt(ordinal),
      wallTime: ordinal / 2,
      superseded: false,
      dtype,
      shape,
    });
    await world.store.withIngest(tenant.tenantId, (ingest) =>
      copyTensors(ingest, [
        ...bodies.map(([dtype, shape, body], i) => ({ ...row(i, dtype, shape), bytes: body.length, body, objectKey: null })),
        { ...row(9, 'float32', [5_000]), bytes: large.length, body: null, objectKey: tensorKey(hash) },
        { ...row(10, 'float32', [0]), step: 0n, superseded: true, bytes: 0, body: Buffer.alloc(0), objectKey: null },
      ]),
    );
    const all = await query('tensors', { tags: ['weights'] });
    const values = all.json.series[0].columns.value;
    expect(all.text).toContain('{"dtype":"float32","shape":[2],"data":[0.5,-0.0]}');
    expect(values.slice(1, 9).map((value: { data: unknown }) => value.data)).toEqual([
      [1, '-9223372036854775808'],
      [1, 'Infinity', 'NaN'],
      [1, 5.960464477539063e-8],
      [[1, -2]],
      [true, false],
      ['ä', { base64: '/w==' }],
      [1],
      ['NaN'],
    ]);
    expect(values[9]).toEqual({ dtype: 'float32', shape: [5_000], data: new Array(5_000).fill(0.5) });
    expect(all.json.series[0]).toMatchObject({ source_points: 10, exact: true, sampling: 'even' });
    const steps = async (given: object) => (await query('tensors', { tags: ['weights'], ...given })).json.series[0].columns.step;
    expect(await steps({ points: 4 })).toEqual([0, 3, 6, 9]);
    expect(await steps({ points: 1 })).toEqual([9]);
    expect(await steps({ points: 3, sampling: 'tail' })).toEqual([7, 8, 9]);
    expect(await steps({ points: 2, steps: { to: 5 } })).toEqual([0, 5]);
    const logged = (await query('tensors', { tags: ['weights'], superseded: true })).json.series[0].columns;
    expect(logged.step).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
    expect(logged.superseded.at(-1)).toBe(true);
  });

  it('lists blobs with keys that work only for readers of the experiment', async () => {
    const seriesId = await world.series(runId, 'images', { dataClass: 'blob_sequence', plugin: 'images' });
    const kinds: Record<string, Buffer> = {
      png,
      label: Buffer.from('28'),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      html: Buffer.from(' \n<html><script>alert(1)</script></html>'),
      pdf: Buffer.from('%PDF-1.7 x'),
      xml: Buffer.from('<?xml version="1.0"?><a/>'),
    };
    const hashes = Object.values(kinds).map((bytes) => createHash('sha256').update(bytes).digest());
    for (const [i, bytes] of Object.values(kinds).entries()) await service.blobs.put(tenant.tenantId, blobKey(hashes[i]!), bytes);
    const row = (ordinal: number, of: (Buffer | null)[], bytes: number[]) => ({
      seriesId,
      fileId,
      ordinal,
      recordOffset: ordinal,
      step: BigInt(ordinal),
      wallTime: 1.5,
      superseded: false,
      sha256: of,
      bytes,
    });
    const sizes = Object.values(kinds).map((bytes) => bytes.length);
    await world.store.withIngest(tenant.tenantId, (ingest) =>
      copyBlobSequences(ingest, [row(0, [hashes[0]!, null], [sizes[0]!, 0]), row(1, hashes, sizes), row(2, [], [])]),
    );

    const { json } = await query('blob-sequences', { tags: ['images'] });
    const [first, second, third] = json.series[0].points;
    expect(first).toMatchObject({
      step: 0,
      wall_time: 1.5,
      blobs: [{ bytes: png.length, content_type: 'image/png', sha256: hashes[0]!.toString('hex') }, null],
    });
    expect(third.blobs).toEqual([]);
    const types = second.blobs.map((blob: { content_type: string }) => blob.content_type);
    expect(types).toEqual(['image/png', 'text/plain; charset=utf-8', ...new Array(4).fill('application/octet-stream')]);
    const { blobs } = (await query('blob-sequences', { tags: ['images'], indices: 'last', steps: { from: 1, to: 1 } })).json.series[0]
      .points[0];
    expect(blobs).toEqual([second.blobs.at(-1)]);
    const ranged = (await query('blob-sequences', { tags: ['images'], indices: { from: 1, to: 2 }, points: 2 })).json.series[0].points;
    expect(ranged.map((point: { blobs: unknown[] }) => point.blobs.length)).toEqual([1, 0]);

    const key = second.blobs[0].key as string;
    expect(JSON.parse(Buffer.from(key, 'base64url').toString())).toEqual([1, experiment, seriesId, fileId, 1, 0]);
    for (const path of [`/api/v1/blobs/${key}`, `/data/blob/${key}`]) {
      const response = await fetch(service.base + path, { headers: { authorization: `Bearer ${tenant.token}` } });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': expect.stringContaining('private') as string,
        etag: `"${hashes[0]!.toString('hex')}"`,
      });
    }
    for (const blob of second.blobs.slice(2)) {
      const { headers } = await service.call(tenant, 'GET', blob.url);
      expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).toEqual([
        'application/octet-stream',
        'attachment',
      ]);
    }
    const code = async (path: string, as: TestTenant | null) => (await service.call(as, 'GET', path)).json.code;
    expect(await code(`/api/v1/blobs/${key}`, stranger)).toBe('experiment-not-found');
    expect(await code(`/api/v1/blobs/${key}`, null)).toBe('unauthenticated');
    const other = Buffer.from(JSON.stringify([1, experiment, seriesId, fileId, 0, 1])).toString('base64url');
    for (const bad of [
      'AAAA',
      'a'.repeat(299),
      other,
      Buffer.from(JSON.stringify([2, experiment, seriesId, fileId, 1, 0])).toString('base64url'),
    ]) {
      expect(await code(`/api/v1/blobs/${bad}`, tenant)).toBe('blob-not-found');
    }
  });

  it('returns presigned addresses if the store has them, with our type and disposition', async () => {
    service.blobs.address = (name, options) =>
      `https://objects.example/${name}?${new URLSearchParams({ ...options, expiresInSeconds: String(options.expiresInSeconds) }).toString()}`;
    try {
      const { json } = await query('blob-sequences', { tags: ['images'], steps: { from: 1, to: 1 } });
      const asked = json.series[0].points[0].blobs.map(({ url, sha256 }: { url: string; sha256: string }) => {
        const { origin, pathname, searchParams } = new URL(url);
        expect(origin + pathname).toBe(`https://objects.example/${tenant.tenantId}/blob/${sha256}`);
        expect(searchParams.get('expiresInSeconds')).toBe('900');
        return [searchParams.get('contentType'), searchParams.get('disposition')?.split(';')[0]];
      });
      expect(asked).toEqual([
        ['image/png', 'inline'],
        ['text/plain; charset=utf-8', 'attachment'],
        ...Array.from({ length: 4 }, () => ['application/octet-stream', 'attachment']),
      ]);
    } finally {
      service.blobs.address = null;
    }
  });

  it('does not complete the response for a blob with wrong bytes', async () => {
    const { url, sha256 } = (await query('blob-sequences', { tags: ['images'], steps: { to: 0 } })).json.series[0].points[0].blobs[0];
    const { blobs } = service;
    const { stream } = blobs;
    // Like a blob store, detects an error only at the end, and then withholds the last piece.
    blobs.stream = async () =>
      Readable.from(
        (async function* () {
          yield png.subarray(0, 300);
          yield png.subarray(300, 600);
          throw new BlobDamaged(`blob/${sha256}`, 'by the test');
        })(),
        { objectMode: false },
      );
    try {
      for (const range of [undefined, 'bytes=0-7', 'bytes=0-299', 'bytes=250-599', 'bytes=700-']) {
        const headers = { authorization: `Bearer ${tenant.token}`, ...(range && { range }) };
        const whole = fetch(service.base + url, { headers }).then(async (response) => response.ok && (await response.bytes()));
        await expect(whole, range).rejects.toThrow(TypeError); // the error of fetch for a broken connection
      }
    } finally {
      blobs.stream = stream;
    }
  });

  it('serves ranges of a blob', async () => {
    const { url, sha256 } = (await query('blob-sequences', { tags: ['images'], steps: { to: 0 } })).json.series[0].points[0].blobs[0];
    const part = async (headers: Record<string, string>, method = 'GET') => {
      const response = await fetch(service.base + url, { method, headers: { authorization: `Bearer ${tenant.token}`, ...headers } });
      return {
        status: response.status,
        range: response.headers.get('content-range'),
        length: response.headers.get('content-length'),
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    };
    expect(await part({ range: 'bytes=0-7' })).toEqual({ status: 206, range: 'bytes 0-7/1008', length: '8', bytes: png.subarray(0, 8) });
    expect(await part({ range: 'bytes=1000-' })).toMatchObject({ status: 206, range: 'bytes 1000-1007/1008', bytes: png.subarray(1000) });
    expect(await part({ range: 'bytes=-3' })).toMatchObject({ status: 206, bytes: png.subarray(-3) });
    expect(await part({ range: 'bytes=1008-' })).toMatchObject({ status: 416, range: 'bytes */1008' });
    expect(await part({ range: 'bytes=5-2' })).toMatchObject({ status: 200, bytes: png });
    expect(await part({ range: 'bytes=0-1,4-5' })).toMatchObject({ status: 200 });
    expect(await part({ range: 'bytes=0-7', 'if-range': '"other"' })).toMatchObject({ status: 200 });
    expect(await part({ 'if-none-match': `"${sha256}"` })).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
    expect(await part({}, 'HEAD')).toMatchObject({ status: 200, length: '1008', bytes: Buffer.alloc(0) });
  });
});
