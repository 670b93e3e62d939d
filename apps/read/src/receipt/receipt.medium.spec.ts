import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'receipt, files and problems', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: string;
  let runs: StoredRuns;
  let cut: string;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    runs = await StoredRuns.start(service, tenant);
    id = runs.experimentId;
    const b = await runs.run('b');
    const a = await runs.run('a');
    await runs.series(a, { tag: 'loss', points: 5, superseded: 2 });
    await runs.series(a, { tag: 'hist', dataClass: 'tensor', points: 3 });
    await runs.series(b, { tag: 'own', dataClass: 'tensor', listed: false, points: 1 });
    await runs.file(b, 'z', { bytes: 10, complete: true, crc32c: 0xdeadbeef });
    const damaged = await runs.file(a, 'é', { bytes: 30, complete: true, parsed: 12, ended: true, rejected: 18, crc32c: 1 });
    cut = await runs.file(a, 'cut', { bytes: 20, complete: true, parsed: 15, version: 2 });
    await runs.file(a, 'open', { bytes: 20, parsed: 15 });
    await runs.file(a, 'unsettled', { bytes: 20, parsed: 15, complete: true, pending: true });
    await runs.problem(a, damaged, 12, 'length-checksum');
    await runs.problem(b, damaged, 40, 'data-checksum');
  });
  afterAll(() => service?.close());

  const get = async (path: string) => (await service.call(tenant, 'GET', `/api/v1/experiments/${id}${path}`)).json;

  it('report what was received and its state', async () => {
    const receipt = await get('/receipt');
    expect(
      receipt.files.map(({ run, name, version, bytes, crc32c, complete }: Record<string, unknown>) => [
        run,
        name,
        version,
        bytes,
        crc32c,
        complete,
      ]),
    ).toEqual([
      ['b', 'z', 1, 10, 'deadbeef', true],
      ['a', 'é', 1, 30, '00000001', true],
      ['a', 'cut', 2, 20, '00000000', true],
      ['a', 'open', 1, 20, '00000000', false],
      ['a', 'unsettled', 1, 20, '00000000', true],
    ]);
    expect(receipt.files[1]).toMatchObject({ records: 3, rejected_bytes: 18, incomplete_bytes: 0, sha256: null });
    expect(receipt.files[3]).toMatchObject({ incomplete_bytes: 5 });
    expect(
      receipt.series.map(({ run, tag, points, superseded_points, listed }: Record<string, unknown>) => [
        run,
        tag,
        points,
        superseded_points,
        listed,
      ]),
    ).toEqual([
      ['a', 'hist', 3, 0, true],
      ['a', 'loss', 5, 2, true],
      ['b', 'own', 1, 0, false],
    ]);
    expect(receipt.totals).toEqual({
      files: 5,
      bytes: 100,
      records: 15,
      points: 7,
      tensors: 4,
      blob_sequences: 0,
      blobs: 0,
      invalid_points: 0,
    });
    expect(receipt.frontier).toMatchObject({ epoch: 4, acknowledged_epoch: 5, visible: false });
  });

  it('include a digest that anyone with the files can compute', async () => {
    const lines = [
      'b\0z\u00001\u000010\0deadbeef\n',
      'a\0é\u00001\u000030\u000000000001\n',
      'a\0cut\u00002\u000020\u000000000000\n',
      'a\0open\u00001\u000020\u000000000000\n',
      'a\0unsettled\u00001\u000020\u000000000000\n',
    ];
    const sorted = lines.map((line) => Buffer.from(line)).sort(Buffer.compare);
    expect((await get('/receipt')).digest).toBe(createHash('sha256').update(Buffer.concat(sorted)).digest('hex'));
  });

  it('list problems with file and offset, and a truncated last record of a complete file until the file grows', async () => {
    const { problems } = await get('/problems');
    expect(problems.map(({ file, offset, reason }: Record<string, unknown>) => [file, offset, reason])).toEqual([
      ['é', 12, 'length-checksum'],
      ['é', 40, 'data-checksum'],
      ['cut', 15, 'truncated-record'],
    ]);
    expect(problems[2]).toMatchObject({ run: 'a', file_id: cut, version: 2, bytes: 5, ends_file: true });
    await service.sql('update event_file set completed_bytes = null where file_id = $1', [cut]);
    expect((await get('/problems')).problems).toHaveLength(2);
    await service.sql('update event_file set completed_bytes = 20 where file_id = $1', [cut]);
    expect((await get('/receipt')).problems).toHaveLength(3);
  });

  it('list files and problems page by page', async () => {
    for (const [what, expected] of [
      ['files', 5],
      ['problems', 3],
    ] as const) {
      const seen: unknown[] = [];
      for (let token = ''; ;) {
        const page = await get(`/${what}?page_size=1${token && `&page_token=${token}`}`);
        seen.push(...page[what]);
        if (!page.next_page_token) break;
        token = page.next_page_token;
      }
      expect(seen).toEqual((await get(`/${what}`))[what]);
      expect(seen).toHaveLength(expected);
    }
    const { next_page_token: token } = await get('/files?page_size=1');
    expect((await get(`/problems?page_token=${token}`)).code).toBe('invalid-page-token');
  });
});
